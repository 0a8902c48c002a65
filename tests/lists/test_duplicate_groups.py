"""Duplicates: groups shown beforehand, with the row that stays; aliases, by one rule."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.lists.delimited_support import clean, find_plan, scratch_folder
from tests.lists.test_kept_rows import (
    COLUMNS,
    COMPLETE,
    NEWEST,
    RULES,
    WRITERS,
    Made,
    choose_ids,
    made_lists,
)
from tests.tables import read_csv, write_csv
from winnow.core.judging.judge import Judge
from winnow.core.lists.previews import DuplicatePreview
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.keep_rule import KEEP_LAST, Keep, KeepRule
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice
from winnow.core.tasks.run_request import RunRequest
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.lists.preview import SHOWN_GROUPS, SHOWN_ROWS, preview_duplicates
from winnow.lists.requests import RowsRequest


def look(
    name: str,
    content: bytes,
    rule: KeepRule = KEEP_LAST,
    repair: RepairChoice | None = None,
    knowledge: Knowledge | None = None,
) -> DuplicatePreview:
    with scratch_folder() as folder:
        path, scratch = Path(folder) / name, Path(folder) / "scratch"
        path.write_bytes(content)
        scratch.mkdir()
        request = RowsRequest(path, find_plan(path), scratch)
        domains = knowledge.tag_domains if knowledge and rule.joins_aliases else None
        preview = preview_duplicates(request, rule, repair, domains)
        assert not list(scratch.iterdir())
        return preview


def number_rows(name: str, content: bytes, made: Made) -> dict[str, int]:
    """Return where each id stands in the file, as whoever opens it sees it."""
    if name.endswith(".csv"):
        return {row[0]: number for number, row in enumerate(read_csv(content), start=1)}
    first = 1 if name.endswith(".parquet") else 2
    return {row[0]: place for place, row in enumerate(made.rows, start=first)}


@RULES
@given(made=made_lists())
@settings(max_examples=6)
def test_the_groups_are_those_of_the_run(name: str, rule: KeepRule, made: Made) -> None:
    content = WRITERS[name](made)
    preview = look(name, content, rule)
    kept = set(choose_ids(made, rule))
    rows = {row[0]: row for row in made.rows}
    assert preview.row_count == len(rows)
    assert preview.is_whole
    assert len(preview.groups) == min(SHOWN_GROUPS, preview.group_count)
    keys = Counter(row[1].strip().lower().replace("büro", "xn--bro-hoa") for row in made.rows)
    assert preview.group_count == sum(count > 1 for key, count in keys.items() if key)
    removed = sum(group.row_count - 1 for group in preview.groups)
    assert removed == len(rows) - len(kept) or preview.group_count > SHOWN_GROUPS
    numbers = number_rows(name, content, made)
    shown = [row for group in preview.groups for row in group.rows]
    for row in shown:
        assert row.stays == (row.cells[0] in kept)
        assert row.number == numbers[row.cells[0]]
        assert row.cells[1].strip() == rows[row.cells[0]][1].strip()
    for group in preview.groups:
        assert sum(row.stays for row in group.rows) == 1
        assert 2 <= len(group.rows) == min(group.row_count, SHOWN_ROWS)
        emails = (row.cells[1].strip().lower() for row in group.rows)
        assert len({email.replace("büro", "xn--bro-hoa") for email in emails}) == 1
        assert [row.number for row in group.rows] == sorted(row.number for row in group.rows)


def write(*rows: str) -> bytes:
    return "\n".join([",".join(COLUMNS), *rows]).encode()


@pytest.mark.parametrize(
    ("rows", "rule", "ranks"),
    [
        pytest.param(["1,a@x.de,,,", "2,a@x.de,,,"], KEEP_LAST, ["", ""], id="last"),
        pytest.param(
            ["1,a@x.de,31.1.2024 10:15,,", "2,a@x.de,30.1.2024,,"],
            NEWEST,
            ["2024-01-31 10:15:00", "2024-01-30"],
            id="newest",
        ),
        pytest.param(
            ["1,a@x.de,2024-01-31 10:15:30.5,,", "2,a@x.de,2024-01-31 10:15:30,,"],
            NEWEST,
            ["2024-01-31 10:15:30.500000", "2024-01-31 10:15:30"],
            id="newest-within-a-second",
        ),
        pytest.param(
            ["1,a@x.de,1.1.2024,,", "2,a@x.de,1.1.2024,,", "3,a@x.de,,,"],
            NEWEST,
            ["2024-01-01", "2024-01-01", ""],
            id="two-newest",
        ),
        pytest.param(["1,a@x.de,,x,", "2,a@x.de,,,"], COMPLETE, ["3", "2"], id="fullest"),
    ],
)
def test_what_the_rule_compares_is_shown(rows: list[str], rule: KeepRule, ranks: list[str]) -> None:
    (group,) = look("list.csv", write(*rows), rule).groups
    assert [row.rank for row in group.rows] == ranks


def test_a_long_group_shows_its_first_rows_and_the_one_that_stays() -> None:
    rows = [f"{place},a@x.de,,,{'long' * 100}" for place in range(20)]
    (group,) = look("list.csv", write(*rows)).groups
    assert group.row_count == 20
    assert [row.number for row in group.rows] == [2, 3, 4, 5, 6, 21]
    assert all(len(row.cells[-1]) == 200 for row in group.rows)


def test_how_dates_are_read_is_told() -> None:
    preview = look("list.csv", write("1,a@x.de,1/2/2024,,", "2,b@x.de,soon,,"), NEWEST)
    assert (preview.groups, preview.is_guess) == ((), True)
    assert [one.code for one in preview.notices] == ["dates_read", "dates_unread"]
    assert "month/day/year" in preview.notices[0].text
    assert look("list.csv", write("1,a@x.de,1.2.2024,,"), NEWEST).notices == ()


def test_repaired_addresses_are_duplicates_as_in_the_run() -> None:
    content = write("1,ana@gmail.com,,,", "2,mailto:ana@gmail.com,,,")
    assert look("list.csv", content).group_count == 0
    assert look("list.csv", content, repair=SAFE_REPAIRS).group_count == 1


MAILBOXES_OF = [  # an address, and the group of rows that reach the same mailbox
    ("ana.lopez@gmail.com", "ana"),
    ("AnaLopez+a+b@gmail.com", "ana"),
    ("a.n.a.l.o.p.e.z@GoogleMail.com", "ana"),
    ("analopez+a+b@googlemail.com", "ana"),
    ("'ana.lopez+x@gmail.com", "quoted"),
    ("ana.lopez@outlook.com", "dots count"),
    ("analopez@outlook.com", "no dots"),
    ("analopez+news@outlook.com", "no dots"),
    ("ana+shop@firm-of-ours.com", "tag counts"),
    ("ana@firm-of-ours.com", "no tag"),
    ("+ana@gmail.com", "leading plus"),
    ("jürgen+x@gmail.com", "umlaut"),
    ("Jürgen@gmail.com", "umlaut"),
    ('"ana+x"@gmail.com', "quoted local part"),
    ("not an address", "fault"),
    ("ana+x@yandex.ru", "yandex"),
    ("ana@yandex.ru", "yandex"),
]
ADDRESSES, GROUPS = (list(column) for column in zip(*MAILBOXES_OF, strict=True))
ALIASES = write_csv([["email"], *([address] for address in ADDRESSES)])
LAST_ONES = [one for place, one in enumerate(ADDRESSES) if GROUPS[place] not in GROUPS[place + 1 :]]
FIRST_ONES = [one for place, one in enumerate(ADDRESSES) if GROUPS[place] not in GROUPS[:place]]


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        pytest.param(KEEP_LAST, ADDRESSES, id="off-by-default"),
        pytest.param(KeepRule(joins_aliases=True), LAST_ONES, id="last"),
        pytest.param(KeepRule(Keep.FIRST, joins_aliases=True), FIRST_ONES, id="first"),
    ],
)
def test_addresses_of_one_mailbox_are_one_row(
    tmp_path: Path, knowledge: Knowledge, rule: KeepRule, kept: list[str]
) -> None:
    run = clean(ALIASES, tmp_path, judge=Judge(knowledge), options=RunRequest(keep=rule))
    assert [row[0] for row in read_csv(run.result)[1:]] == kept
    groups = look("list.csv", ALIASES, rule, knowledge=knowledge).groups
    removed = sum(group.row_count - 1 for group in groups)
    assert removed == run.outcome.summary.duplicates_removed


def test_own_lists_name_addresses_not_mailboxes(tmp_path: Path, knowledge: Knowledge) -> None:
    own = (
        OwnEntry(Category.BLACK, address, Reason.OWN_ADDRESS)
        for address in ("ana+x@gmail.com", "bo@gmail.com")
    )
    run = clean(
        b"email\nana@gmail.com\nana+x@gmail.com\nbo@gmail.com\nbo+y@gmail.com\n",
        tmp_path,
        judge=Judge(knowledge).put_own_first(OwnLists.build(1, own)),
        options=RunRequest(keep=KeepRule(joins_aliases=True)),
    )
    rows = [row[:2] for row in read_csv(run.result)[1:]]
    assert rows == [["ana+x@gmail.com", "black"], ["bo+y@gmail.com", "grey"]]


def test_a_task_of_before_gets_no_column_mailbox_and_says_so(
    tmp_path: Path, knowledge: Knowledge
) -> None:
    usual, former = (
        clean(ALIASES, tmp_path, judge=Judge(knowledge), options=RunRequest(keep=rule))
        for rule in (KeepRule(), KeepRule(adds_mailbox=True))
    )
    assert former.result == usual.result
    assert [one.code for one in former.outcome.notices] == ["mailbox_removed"]
