"""Two columns of addresses: the first, or where it is blank the second; pandas judges."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import JUDGE, find_plan, read, run_file, scratch_folder
from tests.lists.test_kept_rows import CELLS, WRITERS, Made, read_cells
from tests.tables import read_csv
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.errors import BadField
from winnow.core.judging.judge import judge_text
from winnow.core.lists.dimensions import CATEGORY
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.platforms import Platform, PlatformFile
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.tasks.run_request import USUAL, RunRequest
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.lists.format_registry import find_format
from winnow.lists.inspect import plan_input
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import RewriteRequest
from winnow.lists.result.added_columns import address_notice
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_text import RESULT_NAME
from winnow.lists.result.row_view import RowView
from winnow.words import say, speaking

HEADER = ["id", "email", "when", "note", "city"]  # "when" holds the second address here
ADDRESSES = (
    *("a@frei.de", "A@frei.de", "b@wegwerf.net", "c@büro.de", '"q, r"@frei.de', "x y", "a@b"),
    *("", " ", "\t", '"'),
)


@st.composite
def made_lists(draw: st.DrawFn) -> Made:
    rows = [("0", "z@frei.de", "y@frei.de", "", "")]
    for number in range(1, draw(st.integers(2, 25))):
        first, second = (draw(st.sampled_from(ADDRESSES)) for _ in range(2))
        rows.append((str(number), first, second, draw(CELLS), draw(CELLS)))
    return Made(tuple(rows), (None,) * len(rows))


def run(
    name: str, content: bytes, *, deduplicate: bool = True, options: RunRequest = USUAL
) -> tuple[BatchOutcome, bytes, list[str], list[str]]:
    """Clean a list; return counts, the result, and of each row the email and its category."""
    with scratch_folder() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        plan = find_plan(path, second="when")
        done = run_file(path, plan=plan, deduplicate=deduplicate, options=options)
        rows = done.rows.page(RowFilter(), 0, 1_000).rows
        shown = [row.email for row in rows], [row.verdict.category.value for row in rows]
        return done.outcome, done.result, *shown


@pytest.mark.parametrize("name", ["list.csv", "list.xlsx", "list.parquet"])
@given(made=made_lists(), deduplicate=st.booleans())
@settings(max_examples=12, deadline=None)
def test_pandas_takes_the_same_addresses(name: str, made: Made, deduplicate: bool) -> None:
    outcome, result, emails, categories = run(name, WRITERS[name](made), deduplicate=deduplicate)
    frame = pd.DataFrame(list(made.rows), columns=HEADER)
    is_blank = frame["email"].str.strip() == ""
    used = frame["email"].where(~is_blank, frame["when"])
    frame["used"] = used.where(used.str.strip() != "", "").str.strip()
    frame["key"] = frame["used"].str.lower().str.replace("büro", "xn--bro-hoa")
    if deduplicate:
        filled = frame[frame["key"] != ""].drop_duplicates("key", keep="last")
        frame = pd.concat([filled, frame[frame["key"] == ""]]).sort_index()
    assert outcome.summary.rows_out == len(frame)
    header, *rows = read_cells(name, result)
    assert header == [*HEADER, "email_used", "category", "domain_type"]
    assert [row[0] for row in rows] == frame["id"].tolist()
    assert [row[5].strip() for row in rows] == frame["used"].tolist()
    verdicts = [judge_text(JUDGE, text).verdict.category.value for text in frame["used"]]
    assert [row[6] for row in rows] == categories == verdicts
    assert [email.strip() for email in emails] == frame["used"].tolist()
    assert outcome.summary.by_category == pd.Series(verdicts).value_counts().to_dict()


@pytest.mark.parametrize("place", RepairPlace)
def test_repaired_addresses_of_both_stand_in_the_column(place: RepairPlace) -> None:
    rows = (
        ("1", "mailto:a@frei.de", "b@frei.de", "", ""),
        ("2", "", "mailto:c@frei.de", "", ""),
        ("3", "", "d@frei.de", "", ""),
    )
    options = RunRequest(repair=RepairChoice(SAFE_KINDS, place=place))
    outcome, result, emails, _ = run(
        "list.csv", WRITERS["list.csv"](Made(rows, (None,) * 3)), options=options
    )
    cells = read_cells("list.csv", result)
    assert [row[5] for row in cells] == ["email_used", "a@frei.de", "c@frei.de", "d@frei.de"]
    assert [row[1:3] for row in cells[1:]] == [list(row[1:3]) for row in rows]
    assert emails == [row[5] for row in cells[1:]]
    assert sum(outcome.summary.repaired.values()) == 2


def test_short_rows_and_a_name_that_is_taken() -> None:
    content = b"email,when,email_used\na@frei.de\n,b@frei.de\n,,x\n"
    outcome, result, emails, _ = run("list.csv", content)
    assert result.splitlines()[0] == b"email,when,email_used,email_used_2,category,domain_type"
    assert emails == ["a@frei.de", "b@frei.de", ""]
    said = {notice.code: notice.text for notice in outcome.notices}
    assert "email_used \N{RIGHTWARDS ARROW} email_used_2" in said["columns_renamed"]
    assert "that of email, or that of when where email is empty" in said["second_column"]


def test_a_column_without_a_name_is_named_in_the_language_of_its_reader() -> None:
    plan = InputPlan(FileFormat.CSV, 0, ("email", " "), second_email_column=1)
    [notice] = address_notice(plan, "email_used")
    with speaking("de"):
        assert "Spalte 2" in say(notice.text)


@pytest.mark.parametrize("second", ["email", "1", "nope", "9"])
def test_a_second_column_that_cannot_be(second: str) -> None:
    head = read(b"email,x\na@frei.de,\n")
    with pytest.raises(BadField, match="second_email_column"):
        plan_input(head, second_email_column=second)


FORMER_RESULTS = Path(__file__).parents[1] / "golden" / "two_addresses"
"""Written by 0.2, which judged both addresses of a row: each has a category of its own."""
FORMER_HEADER = [*HEADER, "email_used", "email_category", "when_category"]
FORMATS = [FileFormat.CSV, FileFormat.XLSX, FileFormat.PARQUET]


def plan_of(file_format: FileFormat) -> InputPlan:
    sheet, first_row = ("Sheet", 1) if file_format is FileFormat.XLSX else (None, 0)
    return InputPlan(
        file_format, 1, tuple(HEADER), sheet=sheet, first_row=first_row,
        second_email_column=2, judges_both=True,
    )  # fmt: skip


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_former_result_is_browsed_by_the_address_that_was_used(file_format: FileFormat) -> None:
    work, plan = FORMER_RESULTS / file_format, plan_of(file_format)
    rows = ResultRows(work, plan)
    found = rows.page(RowFilter(), 0, 9).rows
    assert [row.email for row in found] == ["b@wegwerf.net", "A@frei.de"]
    assert [row.verdict.category for row in found] == [Category.BLACK, Category.WHITE]
    white = rows.page(RowFilter(Chosen().choose(CATEGORY, "white")), 0, 9).rows
    assert [row.cells[0] for row in white] == ["4"]
    sent = rows.stream(Export(Variant.CLEANED, platform=PlatformFile(Platform.KLAVIYO)))
    text = b"".join(sent).decode("utf-8-sig")
    assert [row[0] for row in read_csv(text)][1:] == ["A@frei.de"]


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_former_result_keeps_the_category_of_each_address(
    file_format: FileFormat, tmp_path: Path
) -> None:
    work, plan, out = FORMER_RESULTS / file_format, plan_of(file_format), tmp_path / "out"
    own = OwnLists.build(2, [OwnEntry(Category.GREY, "frei.de", Reason.OWN_DOMAIN)])
    rows = ResultRows(work, plan, RowView.with_own_lists(CellReader(work, plan), own))
    export = Export(choice=DownloadChoice(adds_reason=True))
    if file_format.traits.is_text:
        assert b"".join(ResultRows(work, plan).stream()) == (work / RESULT_NAME).read_bytes()
        out.write_bytes(b"".join(rows.stream(export)))
    else:
        request = RewriteRequest(work / RESULT_NAME, rows, out, plan, export)
        find_format(file_format).rewrite(request)
    header, *found = read_cells(f"list.{file_format}", out.read_bytes())
    assert header == [*FORMER_HEADER, "category", "domain_type", "reason"]
    assert [row[5:10] for row in found] == [
        ["b@wegwerf.net", "black", "", "black", "disposable"],
        ["A@frei.de", "", "white", "grey", "grey"],
    ]
