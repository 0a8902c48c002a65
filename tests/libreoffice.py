"""LibreOffice as a judge of workbooks: what it reads in them, told by openpyxl."""

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.absent import give_up

SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")
_TIMEOUT_SECONDS = 120  # for a few dozen files


def require_libreoffice() -> str:
    """Return its program; without one the test is skipped, or fails where it is required."""
    if SOFFICE is None:
        give_up("TEST_LIBREOFFICE", "no LibreOffice here: it did NOT judge the workbooks")
    return SOFFICE


def run(profile: Path, *arguments: str) -> None:
    """Run LibreOffice to its end, once more where it hangs: a first start does now and then."""
    command = [require_libreoffice(), f"-env:UserInstallation={profile.as_uri()}", "--headless"]
    is_first = not profile.exists()
    for is_last in (False, True):
        with subprocess.Popen([*command, *arguments], start_new_session=True) as process:
            try:
                assert process.wait(_TIMEOUT_SECONDS) == 0
                return
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # what its launcher started, too
                if is_last:
                    raise
        if is_first:
            shutil.rmtree(profile, ignore_errors=True)


def save_again(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Have LibreOffice open workbooks and save each as .xlsx; all in one start.

    Args:
        paths: Of different names.
        folder: Where the copies go, under the same names, with a profile of their own.

    Returns:
        The copies in order; one that LibreOffice could not open is not there.
    """
    profile, copies = folder / "profile", folder / "copies"
    run(profile, "--convert-to", "xlsx", "--outdir", str(copies), *map(str, paths))
    return [copies / path.with_suffix(".xlsx").name for path in paths]


def convert(path: Path, extension: str, folder: Path) -> Path:
    """Have LibreOffice save a workbook in another format; return the file in the folder."""
    run(folder / "profile", "--convert-to", extension, "--outdir", str(folder), str(path))
    return folder / f"{path.stem}.{extension}"
