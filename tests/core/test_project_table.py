"""The table of projects: what is found, in which order, and tags."""

from datetime import UTC, datetime, timedelta

import pytest

from winnow.core.errors import BadField
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.project_table import (
    TAGS_MAX,
    change_tags,
    find_projects,
    list_tags,
    read_tag,
)
from winnow.core.tasks.task import (
    InputPlan,
    KeyType,
    Phase,
    Progress,
    Summary,
    Task,
    TaskState,
)

START = datetime(2026, 11, 1, tzinfo=UTC)


def make(
    name: str,
    *,
    day: int = 0,
    rows: int | None = None,
    black: int = 0,
    size: int = 0,
    tags: tuple[str, ...] = (),
    file_name: str = "list.csv",
) -> Task:
    summary = None
    if rows is not None:
        counts = {"white": rows - black, "black": black}
        summary = Summary(rows, rows, 0, 0, rows, counts, {}, {}, (), (), "static")
    return Task(
        task_id=name,
        account="local",
        project_name=name,
        file_name=file_name,
        key_type=KeyType.LIVE,
        deduplicate=True,
        plan=InputPlan(FileFormat.CSV, 0, ("email",)),
        state=TaskState.PROCESSING if rows is None else TaskState.COMPLETED,
        progress=Progress(Phase.QUEUED),
        submitted_at=START + timedelta(days=day),
        expires_at=START + timedelta(days=30 + day),
        summary=summary,
        input_bytes=size,
        tags=tags,
    )


PROJECTS = (
    make("April 10", day=3, rows=10, black=5, size=40, tags=("News", "vip")),
    make("April 9", day=2, rows=1000, black=10, size=30, file_name="Kundenliste.xlsx"),
    make("Ärzte", day=1, rows=0, size=900, tags=("news",)),
    make("waiting", day=4, size=7),
)


def arrange(search: str = "", tags: tuple[str, ...] = ()) -> list[str]:
    return [task.project_name for task in find_projects(PROJECTS, search, tags)]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", 4),
        ("april", 2),
        ("10 APRIL", 1),
        ("kundenliste", 1),
        ("ärzte", 1),
        ("A\u0308RZTE", 1),
        (".csv", 3),
        ("april waiting", 0),
        ("%", 0),
    ],
)
def test_every_word_of_a_search_is_found_in_name_or_file_name(search: str, found: int) -> None:
    assert len(arrange(search=search)) == found


def test_tags_narrow_whatever_their_capitals() -> None:
    assert arrange(tags=("NEWS",)) == ["April 10", "Ärzte"]
    assert arrange(tags=("news", "vip")) == ["April 10"]
    assert list_tags(PROJECTS) == ("news", "vip")


def test_tags_are_changed_whatever_their_capitals() -> None:
    assert change_tags(("vip",), ["VIP", "spring"], []) == ("spring", "vip")
    assert change_tags(("vip", "spring"), [], ["Vip"]) == ("spring",)
    many = [f"tag {number}" for number in range(TAGS_MAX)]
    assert len(change_tags((), many, [])) == TAGS_MAX
    with pytest.raises(BadField):
        change_tags(many, ["one more"], [])


@pytest.mark.parametrize("text", ["", "   ", "x" * 31, "a\u202eb", "\ud800", "a\x00b"])
def test_what_is_no_tag_is_refused(text: str) -> None:
    with pytest.raises(BadField):
        read_tag(text)


def test_a_tag_is_one_line() -> None:
    assert read_tag("  spring \n campaign ") == "spring campaign"
