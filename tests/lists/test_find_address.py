"""One address in the rows of a finished project: plain Python is the judge."""

import csv
import io
import random
from pathlib import Path

import pytest

from tests.applications import Clock, complete, open_test_application
from winnow.core.accounts import LOCAL_ACCOUNT
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


@pytest.mark.slow
def test_rows_are_those_that_plain_python_finds(tmp_path: Path) -> None:
    chosen = random.Random(7)
    rows = [(str(number), chosen.choice(CELLS), chosen.choice(CELLS)) for number in range(1, 3_001)]
    header = ("id", "email", "note")
    out = io.StringIO()
    csv.writer(out).writerows([header, *rows])
    opened = open_test_application(tmp_path, Clock())
    task = complete(opened, out.getvalue().encode(), deduplicate=False)
    stored = opened.services.results.require_completed(LOCAL_ACCOUNT, task.task_id)
    found = find_rows(opened.services.results.open_cells(stored), ANA.upper())
    by_email = {int(id_) for id_, email, _ in rows if email.strip().lower() == ANA}
    beside = {
        int(id_) for id_, *cells in rows if any(mentions(cell, ANA) for cell in cells)
    } - by_email
    assert {row.number for row in found.rows if row.is_email} == by_email
    assert {row.number for row in found.rows if not row.is_email} == beside
    assert [row.number for row in found.rows] == sorted(by_email | beside)
    opened.database.close()


def test_a_domain_of_another_script_is_found_in_both_spellings(tmp_path: Path) -> None:
    content = "email\nana@müller.example\nana@xn--mller-kva.example\nana@muller.example\n"
    opened = open_test_application(tmp_path, Clock())
    task = complete(opened, content.encode(), deduplicate=False)
    stored = opened.services.results.require_completed(LOCAL_ACCOUNT, task.task_id)
    for text in ("ana@MÜLLER.example", "ana@xn--mller-kva.example"):
        found = find_rows(opened.services.results.open_cells(stored), text)
        assert [row.number for row in found.rows] == [1, 2]
    opened.database.close()
