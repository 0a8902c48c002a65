"""LibreOffice as a judge of workbooks: what it reads in them, told by openpyxl."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")
_TIMEOUT_SECONDS = 300  # for a few dozen files; it hangs now and then on a first start


def require_libreoffice() -> str:
    """Return its program; without one the test is skipped, or fails where it is required."""
    if SOFFICE is None:
        message = "no LibreOffice on this machine: it did NOT judge the workbooks"
        if os.environ.get("TEST_LIBREOFFICE") == "required":
            pytest.fail(message)
        pytest.skip(message)
    return SOFFICE


def save_again(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Have LibreOffice open workbooks and save each as .xlsx; all in one start.

    Args:
        paths: Of different names.
        folder: Where the copies go, under the same names, with a profile of their own.

    Returns:
        The copies in order; one that LibreOffice could not open is not there.
    """
    profile = (folder / "profile").as_uri()
    copies = folder / "copies"
    command = [require_libreoffice(), f"-env:UserInstallation={profile}", "--headless"]
    subprocess.run(
        [*command, "--convert-to", "xlsx", "--outdir", str(copies), *map(str, paths)],
        check=True,
        capture_output=True,
        timeout=_TIMEOUT_SECONDS,
    )
    return [copies / path.with_suffix(".xlsx").name for path in paths]


def convert(path: Path, extension: str, folder: Path) -> Path:
    """Have LibreOffice save a workbook in another format; return the file in the folder."""
    command = [require_libreoffice(), f"-env:UserInstallation={(folder / 'profile').as_uri()}"]
    subprocess.run(
        [*command, "--headless", "--convert-to", extension, "--outdir", str(folder), str(path)],
        check=True,
        capture_output=True,
        timeout=_TIMEOUT_SECONDS,
    )
    return folder / f"{path.stem}.{extension}"
