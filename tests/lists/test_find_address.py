"""One address in the rows of a finished project: plain Python is the judge."""

import csv
import io
import random
from pathlib import Path

import pytest

from tests.lists.delimited_support import run_file
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.lists.result.cell_questions import CellReader
from winnow.lists.result.find_address import find_rows, mentions

ANA = "ana.b@mailboxes.example"
CELLS = (
    ANA,
    "ANA.B@Mailboxes.Example",
    f" {ANA} ",
    f"x{ANA}",
    f"{ANA}.org",
    f"{ANA}x",
    f"<{ANA}>",
    f"mailto:{ANA}?x",
    f"a.{ANA}",
    f"{ANA}, bo@x.example",
    f"{ANA}.",
    f"'{ANA}'",
    "bo@mailboxes.example",
    "anaxb@mailboxes.example",
    "",
)


@pytest.mark.parametrize(
    ("cell", "stands"),
    [
        (ANA, True),
        (f"Write to {ANA}.", True),
        (f"<{ANA.upper()}>", True),
        (f"{ANA};bo@x.example", True),
        (f"x{ANA}", False),
        (f"a.{ANA}", False),
        (f"a+{ANA}", False),
        (f"{ANA}.org", False),
        (f"{ANA}x", False),
        (f"ä{ANA}", False),
    ],
)
def test_an_address_by_itself(cell: str, stands: bool) -> None:
    assert mentions(cell, ANA) is stands


def open_cells(folder: Path, text: str) -> CellReader:
    path = folder / "list.csv"
    path.write_bytes(text.encode())
    plan = plan_input(read_head(path, path.name))
    return CellReader(run_file(path, plan=plan, deduplicate=False).folder, plan)


@pytest.mark.slow
def test_rows_are_those_that_plain_python_finds(tmp_path: Path) -> None:
    chosen = random.Random(7)
    rows = [(str(number), chosen.choice(CELLS), chosen.choice(CELLS)) for number in range(1, 3_001)]
    header = ("id", "email", "note")
    out = io.StringIO()
    csv.writer(out).writerows([header, *rows])
    found = find_rows(open_cells(tmp_path, out.getvalue()), ANA.upper())
    by_email = {int(id_) for id_, email, _ in rows if email.strip().lower() == ANA}
    beside = {
        int(id_) for id_, *cells in rows if any(mentions(cell, ANA) for cell in cells)
    } - by_email
    assert {row.number for row in found.rows if row.is_email} == by_email
    assert {row.number for row in found.rows if not row.is_email} == beside
    assert [row.number for row in found.rows] == sorted(by_email | beside)


def test_a_domain_of_another_script_is_found_in_both_spellings(tmp_path: Path) -> None:
    content = "email\nana@müller.example\nana@xn--mller-kva.example\nana@muller.example\n"
    cells = open_cells(tmp_path, content)
    for text in ("ana@MÜLLER.example", "ana@xn--mller-kva.example"):
        assert [row.number for row in find_rows(cells, text).rows] == [1, 2]
