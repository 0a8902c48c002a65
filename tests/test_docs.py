"""The documents tell the truth: settings, routes, links, commands."""

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
COMMANDS = (PROJECT / "docs/command-line.md").read_text(encoding="utf-8")
PAGES = [*sorted(PROJECT.glob("docs/*.md")), *sorted(PROJECT.glob("*.md"))]
README_WORDS = 650


def test_settings_table_names_every_variable_and_no_other():
    page = (PROJECT / "docs/settings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(WINNOW_[A-Z_]+)`", page, re.MULTILINE)) == set(VARIABLES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_routes_that_are_named_are_served(page: Path):
    served = {
        (method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods
    }
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"`(GET|POST|DELETE) (/[^`?]*)", text)) <= served


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path):
    for link, heading in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8")):
        if "://" not in link:
            target = (page.parent / link).resolve() if link else page
            assert target.exists(), link
            assert not heading or heading in list_headings(target), f"{link}#{heading}"


def list_headings(page: Path) -> set[str]:
    """Return what a page's headings are called in links."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def test_the_readme_is_short_and_the_index_leads_to_every_document():
    assert len(README.split()) <= README_WORDS
    index = (PROJECT / "docs/README.md").read_text(encoding="utf-8")
    linked = {(PROJECT / "docs" / link).resolve() for link in re.findall(r"\]\(([^)#]+)\)", index)}
    assert set(PAGES) - linked == {PROJECT / "README.md", PROJECT / "docs/README.md"}


def test_every_picture_is_one_that_the_gallery_takes():
    taken = {name_picture(*view) for view in list_views({**FIRST_SCREENS, **SCREENS})}
    pictures = (PROJECT / "docs/screenshots").iterdir()
    assert {picture.name for picture in pictures} == taken
    gallery = (PROJECT / "docs/gallery.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\(screenshots/([^)]+)\)", gallery)) == taken


def test_the_changelog_begins_with_this_version():
    changes = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)$", changes, re.MULTILINE)[1] == VERSION  # type: ignore[index]


def test_the_wheel_is_named_with_this_version():
    texts = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert set(re.findall(r"winnow-([\d.]+)-py3", texts)) == {VERSION}


def test_both_commands_are_one_line_with_a_windows_twin():
    commands = re.findall(r"^(?:python3|py) -m venv .*$", README, re.MULTILINE)
    assert len(commands) == 4
    for posix, windows in zip(commands[::2], commands[1::2], strict=True):
        assert posix.replace("python3", "py").replace("/bin/", "/").replace("/", "\\") == (
            windows.replace("\\Scripts\\", "\\")
        )


def test_the_fast_lane_is_one_and_the_same_everywhere():
    lane = '-m pytest -q -n auto -m "not browser and not slow"'
    for page in ("README.md", "Makefile"):
        assert lane in (PROJECT / page).read_text(encoding="utf-8"), page


def test_every_target_of_the_makefile_is_told():
    targets = set(re.findall(r"^(\w+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
    told = re.findall(r"^\| `make (\w+)`", (PROJECT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert targets - {"help"} == set(told)


def test_every_command_is_told(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = set(re.findall(r"^    (\w+)", capsys.readouterr().out, re.MULTILINE))
    assert set(re.findall(r"^winnow (\w+)", COMMANDS, re.MULTILINE)) == commands - {"worker"}


@pytest.mark.parametrize("words", re.findall(r"^winnow (\w+(?: create)?)", COMMANDS, re.MULTILINE))
def test_commands_of_the_document_exist(words: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), "--help"])
    assert ended.value.code == 0
    assert "usage: winnow" in capsys.readouterr().out
