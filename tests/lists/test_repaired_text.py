"""Repaired lists of delimited text, read by Python's csv and judged row by row."""

import csv
import io
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import Run, make_judge, scratch_folder
from tests.lists.messy_lists import MessyList, make_list
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.core.tasks.run_options import RunOptions
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.judge import judge_text
from winnow.lists.batch import run_batch
from winnow.lists.requests import BatchRequest
from winnow.lists.result.result_rows import ResultRows

JUDGE = make_judge()
EVERYTHING = RepairChoice(
    frozenset(RepairKind),
    {"gmial.com": "gmail.com", "gmailcom": "gmail.com"},
    {"mailto:ana@frei.de": None, "ana @firma.de": None, "bob@gmial.com": None},
)
SINGLES = RepairChoice(
    singles={
        "mailto:ana@frei.de": "ana@frei.de",
        "ana@frei.de; b@frei.de": "b@frei.de",
        "bob@gmial.com": "bob@gmail.com",
        "ana@gmailcom": "ana@gmail.com",
    }
)
CHOICES = {"safe": SAFE_REPAIRS, "everything": EVERYTHING, "singles": SINGLES}


def run(
    messy: MessyList,
    choice: RepairChoice | None,
    folder: Path,
    *,
    deduplicate: bool,
    block_bytes: int = 1 << 22,
) -> Run:
    source, work_dir = folder / "input", folder / "work"
    source.write_bytes(messy.data)
    work_dir.mkdir()
    request = BatchRequest(
        source, messy.plan, JUDGE, work_dir, deduplicate, lambda _: None, RunOptions(choice)
    )
    outcome = run_batch(request, block_bytes=block_bytes)
    rows = ResultRows(work_dir, messy.plan)
    return Run((work_dir / "result").read_bytes(), outcome, rows, work_dir)


def read_csv(messy: MessyList, content: bytes) -> list[list[str]]:
    text = content.decode(messy.plan.encoding).removeprefix("\ufeff")
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=messy.plan.delimiter))


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("place", RepairPlace)
def test_a_messy_list(seed: int, choice: RepairChoice, place: RepairPlace, tmp_path: Path) -> None:
    messy = make_list(seed)
    choice = replace(choice, place=place)
    deduplicate = seed % 3 > 0
    done = run(messy, choice, tmp_path, deduplicate=deduplicate, block_bytes=700 << (seed % 5))
    expected = messy.expect(choice, JUDGE, deduplicate=deduplicate)
    is_column = place is RepairPlace.COLUMN
    [header, *rows] = read_csv(messy, done.result)
    name = "email_repaired_2" if "email_repaired" in messy.header else "email_repaired"
    padded = messy.header + [""] * (messy.width - len(messy.header))
    extra = name if is_column else "email_original"
    assert header == [*padded, extra, "category", "domain_type"]
    wanted = []
    for _, cells, old, new, verdict in expected:
        own = cells + [""] * (messy.width - len(cells))
        own.append((new or old) if is_column else old)
        if new is not None and not is_column:
            own[messy.plan.email_column] = new
        wanted.append([*own, *verdict])
    assert rows == wanted
    summary = done.outcome.summary
    kinds = Counter(
        found.kind
        for _, _, old, new, _ in expected
        if new is not None and (found := choice.apply(old)) is not None
    )
    assert summary.repaired == {kind.value: count for kind, count in kinds.items()}
    assert summary.rows_out == len(expected)
    assert summary.charged == sum(verdict[1] != "invalid" for *_, verdict in expected)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("place", RepairPlace)
def test_what_is_not_repaired_stays_byte_for_byte(
    seed: int, place: RepairPlace, tmp_path: Path
) -> None:
    messy = make_list(seed)
    choice = replace(SAFE_REPAIRS, place=place)
    done = run(messy, choice, tmp_path, deduplicate=False)
    text = done.result.decode(messy.plan.encoding).removeprefix("\ufeff")
    text = text[text.index("domain_type") :]
    position = text.index(messy.plan.newline) + len(messy.plan.newline)
    is_replaced = place is RepairPlace.REPLACE
    for raw, cells in messy.rows:
        body = raw.removesuffix(messy.plan.newline)
        repair = choice.apply(messy.email_of(cells))
        if repair is None or not is_replaced:
            assert text.startswith(body, position)
            position += len(body)
        else:
            before, behind = split_around_email(messy, body, cells)
            written = f"{before}{quote(repair.new, messy.plan.delimiter)}{behind}"
            assert text.startswith(written, position)
            former = body[len(before) : len(body) - len(behind)]
            position = text.index(former, position + len(written)) + len(former)
        position = text.index(messy.plan.newline, position) + len(messy.plan.newline)
    assert text[position:] == ""


def quote(cell: str, delimiter: str) -> str:
    is_quoted = delimiter in cell or '"' in cell
    return '"' + cell.replace('"', '""') + '"' if is_quoted else cell


def split_around_email(messy: MessyList, body: str, cells: list[str]) -> tuple[str, str]:
    """Return what stands in a record before its email cell, and behind it."""
    reader_places, quoted, start = [], False, 0
    for place, sign in enumerate(body):
        if sign == '"':
            quoted = not quoted
        elif sign == messy.plan.delimiter and not quoted:
            reader_places.append((start, place))
            start = place + 1
    reader_places.append((start, len(body)))
    assert len(reader_places) == len(cells)
    first, last = reader_places[messy.plan.email_column]
    return body[:first], body[last:]


LETTERS = "an@.,;'\"<>() \u00a0\u200b\uff20\uff41\u00fc=+"
VALUES = st.text(LETTERS, max_size=14) | st.builds(
    lambda before, domain, behind: f"{before}ana@{domain}{behind}",
    st.text(LETTERS, max_size=3),
    st.sampled_from(("frei.de", "gmial.com", "gmailcom", "frei,de", "b\u00fcro.de", "wegwerf.net")),
    st.text(LETTERS, max_size=3),
)


@given(st.lists(VALUES, min_size=1, max_size=12), st.sampled_from(list(CHOICES.values())))
@settings(deadline=None)
def test_a_row_has_the_verdict_of_its_repaired_address(
    values: list[str], choice: RepairChoice
) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([["email", "n"], *([value, str(n)] for n, value in enumerate(values))])
    plan = InputPlan(FileFormat.CSV, 0, ("email", "n"))
    messy = MessyList(plan, text.getvalue().encode(), ["email", "n"], [])
    with scratch_folder() as folder:
        in_place = replace(choice, place=RepairPlace.REPLACE)
        done = run(messy, in_place, Path(folder), deduplicate=False)
    repairs = [choice.apply(value) for value in values]
    judged = [repair.new if repair else old for repair, old in zip(repairs, values, strict=True)]
    verdicts = [judge_text(JUDGE, value).verdict for value in judged]
    assert [[row[0], *row[3:]] for row in read_csv(messy, done.result)[1:]] == [
        [email, verdict.category.value, verdict.domain_type.value]
        for email, verdict in zip(judged, verdicts, strict=True)
    ]


def test_the_pages_see_the_repaired_address(tmp_path: Path) -> None:
    messy = make_list(3)
    done = run(messy, SAFE_REPAIRS, tmp_path, deduplicate=True)
    page = done.rows.page(RowFilter(), 0, 1000)
    expected = messy.expect(SAFE_REPAIRS, JUDGE, deduplicate=True)
    assert [row.email for row in page.rows] == [new or old for _, _, old, new, _ in expected]
    assert done.rows.columns[done.rows.email_column].startswith("email_repaired")
    assert len(done.rows.columns) == messy.width + 1


def test_nothing_is_repaired_unasked(tmp_path: Path) -> None:
    messy = make_list(3)
    done = run(messy, None, tmp_path, deduplicate=True)
    assert done.outcome.summary.repaired == {}
    assert "email_repaired" not in done.rows.columns or "email_repaired" in messy.header
