"""The README tells the truth: settings, routes, links, commands."""

import re
from pathlib import Path

import pytest

from tests.api.desk import DOCUMENT
from tests.browser.gallery import FIRST_SCREENS, SCREENS, list_views, name_picture
from winnow.cli.commands import main
from winnow.core.release import VERSION
from winnow.core.settings import VARIABLES

PROJECT = Path(__file__).parents[1]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
PAGES = [*sorted(PROJECT.glob("docs/*.md")), PROJECT / "README.md", PROJECT / "CHANGELOG.md"]


def test_settings_table_names_every_variable_and_no_other():
    assert set(re.findall(r"^\| `(WINNOW_[A-Z_]+)`", README, re.MULTILINE)) == set(VARIABLES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_routes_that_are_named_are_served(page: Path):
    served = {
        (method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods
    }
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"`(GET|POST|DELETE) (/[^`?]*)", text)) <= served


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path):
    links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    missing = [
        link for link in links if "://" not in link and not (page.parent / link).resolve().exists()
    ]
    assert missing == []


def test_every_picture_is_one_that_the_gallery_takes():
    taken = {name_picture(*view) for view in list_views({**FIRST_SCREENS, **SCREENS})}
    pictures = (PROJECT / "docs/screenshots").iterdir()
    assert {picture.name for picture in pictures} == taken
    gallery = (PROJECT / "docs/gallery.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\(screenshots/([^)]+)\)", gallery)) == taken


def test_the_changelog_begins_with_this_version():
    changes = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)$", changes, re.MULTILINE)[1] == VERSION  # type: ignore[index]


def test_both_commands_are_one_line_with_a_windows_twin():
    commands = re.findall(r"^(?:python3|py) -m venv .*$", README, re.MULTILINE)
    assert len(commands) == 4
    for posix, windows in zip(commands[::2], commands[1::2], strict=True):
        assert posix.replace("python3", "py").replace("/bin/", "/").replace("/", "\\") == (
            windows.replace("\\Scripts\\", "\\")
        )


@pytest.mark.parametrize("words", re.findall(r"^winnow (\w+(?: create)?)", README, re.MULTILINE))
def test_commands_of_the_readme_exist(words: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), "--help"])
    assert ended.value.code == 0
    assert "usage: winnow" in capsys.readouterr().out
