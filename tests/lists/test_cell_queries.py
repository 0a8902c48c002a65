"""Search, filters, addresses and counts of a project's cells, as pandas and Python say them."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import JUDGE, MadeList, clean, run_list, scratch_folder
from tests.lists.test_delimited_properties import made_lists
from tests.lists.test_row_order import COLUMNS, clean_rows, make_rows
from tests.tables import write_csv
from winnow.core.addresses.address import duplicate_key
from winnow.core.blobs import TABLE_NAME
from winnow.core.errors import QueryEnded
from winnow.core.judging.judge import judge_text
from winnow.core.lists.rows import RowFilter, RowOrder
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.run_request import RunRequest
from winnow.core.verdicts.verdict import Category
from winnow.lists.address_search import find_rows
from winnow.lists.result import cell_table, own_values
from winnow.lists.result.cell_grid import read_emails
from winnow.lists.result.cell_queries import find_addresses, search
from winnow.lists.result.comparing import ComparedProject
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_index import RowIndex

HOSTILE = (
    *("'", '"', "''", '"; DROP TABLE x; --', "%", "_", "%%", "\\", "$text", "c0", "{0}", ";", "--"),
    *("\0", "a\0b", "\ud800", "\u202e", "' OR ''='", "*", "[a]", "(", "^", "x" * 10_000),
    *("\n", "\t"),
)


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_questions_are_answered_as_by_pandas(kind: str, tmp_path: Path) -> None:
    made = make_rows(300, 4)
    run, frame = clean_rows(made, kind, tmp_path, deduplicate=False), pd.DataFrame(made)
    frame.columns = COLUMNS
    cells, index = run.cells, RowIndex.open(run.folder)
    if kind == "xlsx":  # a sheet's cells have no white space of their own
        frame = frame.map(lambda text: text if text.strip() else "")
    rows = np.arange(len(frame))
    for some in (rows, rows[::7], rows[:0]):
        assert read_emails(index, run.plan, some) == frame["email"].iloc[some].tolist()
    assert ComparedProject(cells, None).blank_rows == int((frame["email"] == "").sum())
    pick = random.Random(2)
    for _ in range(6):
        text = pick.choice(frame[pick.choice(COLUMNS)].tolist())[:4].swapcase() or "ZOË"
        is_held = frame.map(lambda cell, text=text: text.lower() in cell.lower()).any(axis=1)
        assert cells.find(search, text).tolist() == is_held.tolist(), text
    keys = frame["email"].map(duplicate_key)
    known = keys[keys != ""].drop_duplicates().iloc[::7].tolist()
    rows, indices = cells.find(find_addresses, [*known, "nobody@frei.de"])
    assert rows.tolist() == keys[keys.isin(known)].index.tolist()
    assert [known[place] for place in indices] == keys.iloc[rows].tolist()


def test_no_text_of_a_user_is_sql(tmp_path: Path) -> None:
    """A list whose cells and header are statements, quotes and wild cards."""
    texts = [text for text in HOSTILE if "\0" not in text and text.isprintable()] + ["%a_b%", ""]
    made = [(f"ana{n}@frei.de", one, other) for n, one in enumerate(texts) for other in texts]
    frame = pd.DataFrame(made, columns=["email", "c1'; --", '"x" %_'])
    content = frame.to_csv(index=False, lineterminator="\r\n").encode()
    run = clean(content, tmp_path, "it's a list.csv", deduplicate=False)
    rows, cells = run.rows, run.cells
    for text in HOSTILE:
        is_held = frame.map(lambda cell, text=text: text.lower() in cell.lower()).any(axis=1)
        assert rows.page(RowFilter(text=text), 0, 0).matching == is_held.sum(), text
        assert not len(cells.find(find_addresses, [text])[0])
    for column in range(3):
        table = rows.own_columns.count(column)
        for text, counts in zip(table.texts, table.counts, strict=True):
            assert counts.sum() == int((frame.iloc[:, column] == text).sum())
    for column in range(3):
        page = rows.page(RowFilter(), 0, len(frame), RowOrder(column)).rows
        assert len({row.number for row in page}) == len(frame)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.unlink(), id="missing"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-9]), id="cut-off"),
        pytest.param(
            lambda path: path.write_bytes(b"PAR1" + bytes(200) + path.read_bytes()[204:]),
            id="overwritten",
        ),
    ],
)
def test_a_lost_or_damaged_table_is_made_again(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    cells = clean_rows(make_rows(50, 1), "csv", tmp_path).cells
    found = cells.find(search, "e").tolist()
    path = cells.folder / TABLE_NAME
    damage(path)
    assert cells.find(search, "e").tolist() == found
    assert path.stat().st_mode & 0o077 == 0
    path.unlink()
    assert [path.name for path in cells.folder.iterdir() if path.name.startswith("cells")] == []


def test_a_query_that_takes_too_much_memory_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = clean_rows(make_rows(50, 1), "csv", tmp_path)
    rows = run.rows
    monkeypatch.setattr(cell_table, "MEMORY_LIMIT", "5MB")
    table = cell_table.open_table(run.folder, run.plan)
    with pytest.raises(QueryEnded):
        table.query("SELECT list(range) FROM range(10000000)")
    assert len(rows.page(RowFilter(), 0, 10).rows) == 10
    assert rows.page(RowFilter(text="@"), 0, 0).matching > 0


def test_a_table_reads_no_other_file(tmp_path: Path) -> None:
    run = clean_rows(make_rows(5, 1), "csv", tmp_path)
    (tmp_path / "secret.csv").write_text("a\n1\n")
    table = cell_table.open_table(run.folder, run.plan)
    with pytest.raises(Exception, match="disabled by configuration"):
        table.query(f"FROM read_csv('{tmp_path / 'secret.csv'}')")


ANA = "ana.b@mailboxes.example"
CELLS = {  # whether the address is in it by itself
    **dict.fromkeys((ANA, "ANA.B@Mailboxes.Example", f" {ANA} ", f"<{ANA}>"), True),
    **dict.fromkeys((f"mailto:{ANA}?x", f"{ANA}, bo@x.example", f"{ANA};bo@x.example"), True),
    **dict.fromkeys((f"{ANA}.", f"Write to {ANA}."), True),
    **dict.fromkeys((f"x{ANA}", f"a.{ANA}", f"a+{ANA}", f"ä{ANA}", f"'{ANA}'", f"{ANA}x"), False),
    **dict.fromkeys((f"{ANA}.org", "anaxb@mailboxes.example", "bo@x.example", ""), False),
}


def test_an_address_is_found_by_itself_in_any_column(tmp_path: Path) -> None:
    rows = [(str(number), *cells) for number, cells in enumerate(product(CELLS, repeat=2), 1)]
    run = clean(write_csv([("id", "email", "note"), *rows]), tmp_path, deduplicate=False)
    found = find_rows(run.cells, ANA.upper())
    by_email = {int(id_) for id_, email, _ in rows if email.strip().lower() == ANA}
    beside = {int(id_) for id_, *cells in rows if any(CELLS[cell] for cell in cells)} - by_email
    assert {number for number, is_email in found.items() if is_email} == by_email
    assert list(found) == sorted(by_email | beside)


def test_what_a_removed_row_had_is_found(tmp_path: Path) -> None:
    content = "email\nbo@gmail.com\nana@gmial.com\nana@gmail.com\n"
    options = RunRequest(repair=RepairChoice(domains={"gmial.com": "gmail.com"}))
    cells = clean(content.encode(), tmp_path, options=options).cells
    assert find_rows(cells, "Ana@gmial.com") == {2: False}


def test_a_domain_of_another_script_is_found_in_both_spellings(tmp_path: Path) -> None:
    content = "email\nana@müller.example\nana@xn--mller-kva.example\nana@muller.example\n"
    cells = clean(content.encode(), tmp_path, deduplicate=False).cells
    for text in ("ana@MÜLLER.example", "ana@xn--mller-kva.example"):
        assert list(find_rows(cells, text)) == [1, 2]


EMAILS = ("ana@firm.de", "bo@wegwerf.net", "info@frei.de", "foo", "x+y@frei.de")
Table = dict[str, Counter[Category]]


def _read_table(rows: ResultRows, column: int) -> Table:
    found: Table = {}
    table = rows.own_columns.count(column)
    for text, counts in zip(table.texts, table.counts.tolist(), strict=True):
        found[text] = Counter()
        for verdict, count in zip(rows.own_columns.verdicts, counts, strict=True):
            found[text][verdict.category] += count
    return {text: +counts for text, counts in found.items()}


def _recount(records: Sequence[Sequence[str]], column: int, email: int) -> Table:
    found: Table = {}
    for cells in records:
        text = cells[column].strip()
        found.setdefault(text, Counter())[judge_text(JUDGE, cells[email]).verdict.category] += 1
    return found


OWN_CELLS = st.sampled_from(
    [
        "", "DE", " DE ", "AT", "Paid Social", 'so "called"', "a,b", "two\nlines", "\u00fcber",
        "a long value, of more than eight letters", "a long value, of more than eight lettern",
        "=1+1", "0", "00", "x" * 126,
    ]
)  # fmt: skip


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(made_lists(st.sampled_from(EMAILS), OWN_CELLS, most_rows=60))
def test_values_are_those_of_the_cells(made: MadeList) -> None:
    assume(made.rows())
    with scratch_folder() as folder:
        rows = run_list(made.data, made.plan, Path(folder), deduplicate=False).rows
        blank = ("",) * made.widest
        records = [(record.cells + blank)[: made.widest] for record in made.rows()]
        tables = {one: _recount(records, one, made.column) for one in range(made.widest)}
        for column, expected in tables.items():
            if column == made.column:
                continue
            table = rows.own_columns.count(column)
            assert _read_table(rows, column) == expected
            sizes = [expected[text].total() for text in table.texts]
            assert sizes == sorted(sizes, reverse=True)


def test_addresses_and_free_text_are_no_values(tmp_path: Path) -> None:
    names = ("email", "copy", "note", "owner")
    records = [
        [email, email, "long " * 40 + str(n % 3), "boss@firm.de" if n == 7 else "Ana"]
        for n, email in enumerate(EMAILS * 400)
    ]
    run = clean(write_csv([names, *records]), tmp_path, deduplicate=False)
    found = {name: run.rows.own_columns.count(place) for place, name in enumerate(names)}
    assert {name: table.texts for name, table in found.items()} == {
        "email": ("foo",), "copy": ("foo",), "note": (), "owner": ("Ana",)
    }  # fmt: skip
    assert int(found["owner"].counts.sum()) == len(records) - 1


def test_a_column_has_its_largest_values_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_values, "VALUES_MAX", 50)
    names = ("email", "slowly", "few")
    records = [[EMAILS[0], "often" if n < 9 else f"v{n // 4}", str(n % 50)] for n in range(400)]
    rows = clean(write_csv([names, *records]), tmp_path, deduplicate=False).rows
    slowly = rows.own_columns.count(1)
    assert (slowly.texts[0], len(slowly.texts)) == ("often", 50)
    assert _read_table(rows, 2) == _recount(records, 2, 0)
