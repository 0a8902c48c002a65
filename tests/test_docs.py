"""The documents tell the truth: settings, routes, links, commands."""

import re
from pathlib import Path

import pytest

from tests.api.desk import DOCUMENT
from tests.browser.gallery import FIRST_SCREENS, SCREENS, SHAPES, name_picture
from tests.conftest import LANES
from winnow.cli.commands import main
from winnow.core.release import VERSION
from winnow.core.settings import VARIABLES

PROJECT = Path(__file__).parents[1]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
COMMANDS = (PROJECT / "docs/command-line.md").read_text(encoding="utf-8")
PAGES = [*sorted(PROJECT.glob("docs/**/*.md")), *sorted(PROJECT.glob("*.md"))]
NAMED = [str(page.relative_to(PROJECT)) for page in PAGES]
README_WORDS = 650


def test_settings_table_names_every_variable_and_no_other():
    page = (PROJECT / "docs/settings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(WINNOW_[A-Z_]+)`", page, re.MULTILINE)) == set(VARIABLES)


@pytest.mark.parametrize("page", PAGES, ids=NAMED)
def test_routes_links_and_files_of_a_page_exist(page: Path):
    served = {
        (method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods
    }
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"`(GET|POST|DELETE) (/[^`?]*)", text)) <= served
    for link, heading in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
        if "://" not in link:
            target = (page.parent / link).resolve() if link else page
            assert target.exists(), link
            assert not heading or heading in list_headings(target), f"{link}#{heading}"
    folders = "winnow|components|pages|tests|benchmarks|docs"
    named = re.findall(rf"`((?:{folders})/[\w./]*|app\.py)`", text)
    assert [path for path in named if not (PROJECT / path).exists()] == []


def list_headings(page: Path) -> set[str]:
    """Return what a page's headings are called in links."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def list_links(page: Path) -> set[Path]:
    """Return the files that a page links to, its pictures among them."""
    links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    return {(page.parent / link).resolve() for link in links if "://" not in link}


def test_the_readme_is_short_and_the_index_leads_to_every_document():
    assert len(README.split()) <= README_WORDS
    index = PROJECT / "docs/README.md"
    linked = list_links(index) | list_links(PROJECT / "docs/guide.md")
    assert set(PAGES) - linked == {PROJECT / "README.md", index}


def test_every_picture_is_in_a_document_and_taken_by_the_gallery():
    screens = {**FIRST_SCREENS, **SCREENS}
    taken = {name_picture(name, *shape) for name in screens for shape in SHAPES}
    pictures = set((PROJECT / "docs/screenshots").iterdir())
    assert {picture.name for picture in pictures} <= taken
    shown = set().union(*map(list_links, PAGES))
    assert {path for path in shown if path.suffix == ".png"} == pictures


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


def test_every_folder_of_slow_tests_is_a_lane_of_make_and_of_ci():
    makefile, ci = (
        (PROJECT / name).read_text(encoding="utf-8") for name in ("Makefile", ".ci/run")
    )
    lanes = re.search(r"^LANES = (.*)$", makefile, re.MULTILINE)
    assert lanes is not None
    assert lanes[1].split() == [*LANES]
    called = re.findall(r"\bmake (\w+)|^for lane in (.*);", ci, re.MULTILINE)
    assert {*LANES, "formats", "slow"} <= {*" ".join(sum(called, ())).split()}


def test_every_target_of_the_makefile_is_told():
    targets = set(re.findall(r"^(\w+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
    told = re.findall(r"^\| `make (\w+)`", (PROJECT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert targets - {"help"} == set(told)


def test_every_command_is_told_and_exists(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = set(re.findall(r"^    (\w+)", capsys.readouterr().out, re.MULTILINE))
    assert set(re.findall(r"^winnow (\w+)", COMMANDS, re.MULTILINE)) == commands - {"worker"}
    for words in re.findall(r"^winnow (\w+(?: create)?)", COMMANDS, re.MULTILINE):
        with pytest.raises(SystemExit) as ended:
            main([*words.split(), "--help"])
        assert ended.value.code == 0
        assert "usage: winnow" in capsys.readouterr().out


def test_every_option_of_clean_is_described(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["clean", "--help"])
    options = set(re.findall(r"^  (--[a-z-]+)", capsys.readouterr().out, re.MULTILINE))
    assert "--policy" in options
    assert {one for one in options if f"`{one}" not in COMMANDS} == set()
