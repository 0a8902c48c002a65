"""The image built step by step, started as its user, asked for its health as its engine would."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.absent import give_up
from tests.image_build import Stage, build_image
from tests.server import PROJECT, find_free_port
from tests.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The last stage of the Containerfile."""
    if shutil.which("mmdebstrap") is None or os.geteuid() != 0:
        give_up("TEST_IMAGE", "ABSENT: mmdebstrap, or root: the image's steps are not tried")
    folder = tmp_path_factory.mktemp("image")
    yield build_image(PROJECT, folder)
    shutil.rmtree(folder)


def test_nothing_that_builds_is_left_and_the_data_belongs_to_its_user(image: Stage) -> None:
    kept = {path.name for path in (image.root / "opt" / "winnow" / "bin").iterdir()}
    assert "winnow" in kept
    assert not [name for name in kept if name.startswith("pip")]
    data = (image.root / "data").stat()
    assert (str(data.st_uid), data.st_mode & 0o777) == (image.user, 0o700)
    assert image.user != "0"


def test_it_does_not_start_beyond_this_machine_without_a_password(image: Stage) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        image.run(*image.entrypoint)
    assert "WINNOW_PASSWORD" in refused.value.output


def test_it_serves_as_its_user_and_says_that_it_is_well(image: Stage) -> None:
    port = str(find_free_port())
    arguments = [one.replace("8501", port) for one in image.entrypoint]
    health = [one.replace("8501", port) for one in image.health]
    server = image.start(*arguments, WINNOW_PASSWORD="of the test")
    try:
        wait_until(lambda: _is_well(image, health, server))
        owners = {path.stat().st_uid for path in (image.root / "data").rglob("*")}
        assert owners == {int(image.user)}
    finally:
        server.terminate()
        printed, _ = server.communicate(timeout=PATIENCE_SECONDS)
    assert "Traceback" not in printed
    with pytest.raises(subprocess.CalledProcessError):
        image.run(*health)


def _is_well(image: Stage, health: list[str], server: "subprocess.Popen[str]") -> bool:
    assert server.poll() is None, "it did not come up"
    try:
        image.run(*health)
    except subprocess.CalledProcessError:
        return False
    return True


def test_the_command_line_works_inside(image: Stage, tmp_path: Path) -> None:
    source = image.root / "tmp" / "list.csv"
    source.write_text("email\nana@mailinator.com\n")
    source.chmod(0o644)
    image.run("winnow", "clean", "/tmp/list.csv", "--out", "/tmp/out.csv")  # noqa: S108
    text = (image.root / "tmp" / "out.csv").read_text()
    assert text.splitlines()[1] == "ana@mailinator.com,black,disposable"
