"""The release by its names: the package index's ``winnow`` is another project."""

import re
import tomllib
from importlib import metadata

import pytest

from tests.api.desk import DOCUMENT
from tests.server import PROJECT
from winnow.cli.commands import main
from winnow.core import release
from winnow.core.release import DISTRIBUTION, VERSION, WHEEL, describe_install

_TEXTS = ("*.md", "docs/**/*", "deploy/*", "winnow/**/*", "components/**/*.py", "pages/*.py")
_STRANGER = re.compile(
    r"(?:pip install|uvx|uv tool install|--from)(?: -\S+)* [\"'`]*winnow(?:\[|[^-_\w/.]|$)"
)


def read_texts() -> dict[str, str]:
    """Return every document and every file with messages, by its path."""
    paths = {path for place in _TEXTS for path in PROJECT.glob(place)}
    names = {".md", ".py", ".service", ".po", ".html", ".yaml", ".toml"}
    found = sorted(path for path in paths if path.suffix in names)
    return {str(path.relative_to(PROJECT)): path.read_text(encoding="utf-8") for path in found}


def test_no_text_installs_the_project_of_a_stranger():
    assert _STRANGER.search("pip install 'winnow[mcp]'")
    assert _STRANGER.search("uvx --from winnow winnow serve")
    assert [name for name, text in read_texts().items() if _STRANGER.search(text)] == []


def test_texts_name_the_wheel_of_this_version_until_the_name_is_registered():
    named = "".join(text for name, text in read_texts().items() if not name.endswith("release.py"))
    assert set(re.findall(r"winnow[\w.-]*-py3-none-any\.whl", named)) == {WHEEL}
    assert (f"pip install {DISTRIBUTION}" in named) is release.IS_REGISTERED
    assert WHEEL in describe_install("mcp")


def test_extras_refer_to_this_distribution():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    wanted = [one for group in project["optional-dependencies"].values() for one in group]
    ours = [one for one in wanted if one.startswith("winnow")]
    assert ours
    assert all(one.startswith(f"{DISTRIBUTION}[") for one in ours)


def test_the_environment_has_no_distribution_of_a_stranger():
    assert {*metadata.packages_distributions().get("winnow", ())} <= {DISTRIBUTION}


def test_every_door_names_the_version(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"winnow {VERSION}\n"
    assert DOCUMENT["info"]["version"] == VERSION
