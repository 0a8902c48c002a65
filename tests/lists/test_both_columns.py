"""Both addresses of each row judged: two runs of one column, joined by pandas, say the same."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import make_judge
from tests.lists.test_kept_rows import CELLS, WRITERS, Made
from tests.lists.test_second_column import read_cells
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.errors import BadField
from winnow.core.lists.dimensions import CATEGORY
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.duplicate_groups import DuplicatePreview
from winnow.core.lists.exports import Export
from winnow.core.lists.input_head import Choices
from winnow.core.lists.platforms import Platform, PlatformFile
from winnow.core.lists.previews import Preview
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.tasks.keep_rule import KEEP_LAST, Keep, KeepRule
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace
from winnow.core.tasks.run_options import USUAL, RunOptions
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.lists.batch import run_batch
from winnow.lists.format_registry import find_format
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.lists.list_format import BatchOutcome
from winnow.lists.marks.forbidden import read_forbidden
from winnow.lists.marks.keyed_hash import AddressHash
from winnow.lists.marks.named_keys import NamedKeys
from winnow.lists.preview.duplicate_groups import preview_duplicates
from winnow.lists.preview.list_part import PartRequest
from winnow.lists.preview.preview import preview_list
from winnow.lists.requests import BatchRequest, ForbiddenAddresses, RewriteRequest
from winnow.lists.result.platform_export import PlatformExport
from winnow.lists.result.result_rows import ResultRows, look_through
from winnow.lists.result.row_index import RESULT_NAME

JUDGE = make_judge()
FIRST, SECOND = "email", "when"  # the second addresses stand in a column of this name
HEADER = ["id", FIRST, SECOND, "note", "city"]
ADDED = ["email_used", "email_category", "when_category", "category", "domain_type"]
ADDRESSES = (
    *("a@frei.de", "A@frei.de", "a+x@frei.de", "b@wegwerf.net", "c@büro.de", "c@xn--bro-hoa.de"),
    *("info@frei.de", "ana@frei.de", "d@other.example", '"q, r"@frei.de', "x y", "X Y", "a@b"),
    *("n/a", "", "", " ", "\t", '"', "mailto:e@frei.de"),
)
WELL_FORMED = (
    *("a@frei.de", "a+x@frei.de", "b@wegwerf.net", "c@xn--bro-hoa.de", "info@frei.de"),
    *("d@other.example", "z@frei.de", "y@frei.de"),
)
HASHES = AddressHash.of(bytes(range(48)))
RULES = [KEEP_LAST, KeepRule(Keep.FIRST), KeepRule(Keep.COMPLETE)]
RANKS = {"white": 1, "grey": 2, "black": 3, "": 4}


@st.composite
def made_lists(draw: st.DrawFn) -> Made:
    rows = [("0", "z@frei.de", "y@frei.de", "", "")]
    for number in range(1, draw(st.integers(2, 40))):
        first, second = (draw(st.sampled_from(ADDRESSES)) for _ in range(2))
        rows.append((str(number), first, second, draw(CELLS), draw(CELLS)))
    return Made(tuple(rows), (None,) * len(rows))


def run(
    path: Path,
    plan: InputPlan,
    *,
    deduplicate: bool = True,
    options: RunOptions = USUAL,
    forbidden: ForbiddenAddresses | None = None,
) -> tuple[BatchOutcome, Path]:
    """Clean a list; return what was counted, and the folder of the result."""
    work = path.with_name(f"work {plan.email_column} {plan.judges_both}")
    work.mkdir()
    request = BatchRequest(
        path, plan, JUDGE, work, deduplicate, lambda progress: None, options, forbidden
    )
    outcome = run_batch(request)
    assert not list(work.glob("pass.*"))
    return outcome, work


def judge_column(name: str, path: Path, column: str) -> dict[str, tuple[str, str]]:
    """Return category and type of each row by its id, by a run of one column alone."""
    plan = plan_input(read_head(path, name), email_column=column)
    _, work = run(path, plan, deduplicate=False)
    _, *rows = read_cells(name, (work / RESULT_NAME).read_bytes())
    return {row[0]: (row[5], row[6]) for row in rows}


def join_runs(
    made: Made,
    judged: Iterable[dict[str, tuple[str, str]]],
    rule: KeepRule | None,
    forbidden: frozenset[str] = frozenset(),
) -> pd.DataFrame:
    """Say with pandas what the better address of each row is, and which rows stay."""
    frame = pd.DataFrame(list(made.rows), columns=HEADER)
    for column, of_row in zip((FIRST, SECOND), judged, strict=True):
        is_blank = frame[column].str.strip() == ""
        frame[f"{column}_category"] = frame["id"].map(lambda one, of=of_row: of[one][0])
        frame[f"{column}_type"] = frame["id"].map(lambda one, of=of_row: of[one][1])
        frame.loc[is_blank, f"{column}_category"] = ""
    ranks = []
    for column in (FIRST, SECOND):
        is_free = ~frame[column].map(fold).isin(forbidden) | (frame[f"{column}_type"] == "invalid")
        ranks.append(frame[f"{column}_category"].map(RANKS).where(is_free, RANKS[""] - 0.5))
    takes = ranks[1] < ranks[0]
    frame["used"] = frame[FIRST].where(~takes, frame[SECOND]).str.strip()
    frame["category"] = frame["email_category"].where(~takes, frame["when_category"])
    frame["type"] = frame["email_type"].where(~takes, frame["when_type"])
    frame.loc[frame["category"] == "", ["category", "type"]] = ["black", "invalid"]
    frame["filled"] = (frame[HEADER].apply(lambda one: one.str.strip()) != "").sum(axis=1)
    frame["place"] = range(len(frame))
    if rule is None:
        return frame
    key = frame["used"].map(fold)
    filled = frame[key != ""].assign(key=key)
    order = ["filled", "place"] if rule.keep is Keep.COMPLETE else ["place"]
    keep = "first" if rule.keep is Keep.FIRST else "last"
    kept = filled.sort_values(order).drop_duplicates("key", keep=keep)
    return pd.concat([kept, frame[key == ""]]).sort_values("place")


def fold(text: str) -> str:
    return text.strip().lower().replace("büro", "xn--bro-hoa")


def name_forbidden(forbidden: frozenset[str]) -> ForbiddenAddresses | None:
    """Put these addresses on a do-not-mail file; those of büro.de by their domain."""
    keys = np.array([HASHES.hash_address(one) for one in sorted(forbidden)], np.uint64)
    names = HASHES.hash_domains([one.partition("@")[2] for one in forbidden if "xn--" in one])
    nobody = np.empty(0, np.uint64)
    return read_forbidden([NamedKeys.of(keys, names, nobody)] if forbidden else [], HASHES)


def plan_both(path: Path, name: str) -> InputPlan:
    return plan_input(read_head(path, name), second_email_column=SECOND, judges_both=True)


@pytest.mark.parametrize("name", [name for name in WRITERS if not name.endswith(".gz")])
@given(
    made=made_lists(),
    rule=st.none() | st.sampled_from(RULES),
    forbidden=st.just(frozenset[str]()) | st.frozensets(st.sampled_from(WELL_FORMED)),
)
@settings(max_examples=15, deadline=None)
def test_it_is_the_join_of_two_runs(
    name: str, made: Made, rule: KeepRule | None, forbidden: frozenset[str]
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(WRITERS[name](made))
        plan, options = plan_both(path, name), RunOptions(keep=rule or KEEP_LAST)
        outcome, work = run(
            path,
            plan,
            deduplicate=rule is not None,
            options=options,
            forbidden=name_forbidden(forbidden),
        )
        judged = [judge_column(name, path, one) for one in (FIRST, SECOND)]
        expected = join_runs(made, judged, rule, forbidden)
        header, *rows = read_cells(name, (work / RESULT_NAME).read_bytes())
        shown = ResultRows.open(work, plan).page(RowFilter(), 0, 1_000).rows
        bound = find_format(plan.file_format).bound_result_bytes(path, plan, Path(folder))
        assert sum(one.stat().st_size for one in work.iterdir()) <= 3 * bound
        previews = look_ahead(path, plan, options)
    assert header == [*HEADER, *ADDED]
    assert [row[0] for row in rows] == expected["id"].tolist()
    assert [row[5].strip() for row in rows] == expected["used"].tolist()
    columns = ["email_category", "when_category", "category", "type"]
    assert [row[6:] for row in rows] == expected[columns].to_numpy().tolist()
    assert [row[1:3] for row in rows] == expected[[FIRST, SECOND]].to_numpy().tolist()
    assert [row.email.strip() for row in shown] == expected["used"].tolist()
    assert [row.verdict.category.value for row in shown] == expected["category"].tolist()
    summary = outcome.summary
    assert summary.by_category == expected["category"].value_counts().to_dict()
    assert summary.by_domain_type == expected["type"].value_counts().to_dict()
    assert (summary.rows_in, summary.rows_out) == (len(made.rows), len(expected))
    is_charged = (expected["type"] != "invalid") & (expected["used"] != "n/a")  # an own entry
    assert summary.charged == is_charged.sum()
    info = (expected["used"].str.startswith("info@")).sum()
    assert summary.by_reason.get(Reason.ROLE_ACCOUNT.value, 0) == info
    if rule is not None and not forbidden:  # what is to come out knows no file
        preview, duplicates = previews
        gone = len(made.rows) - len(expected)
        assert (preview.duplicates, duplicates.duplicate_count) == (gone, gone)
        if rule == KEEP_LAST:
            assert preview.kept is not None
            shares = {one.value: share.low for one, share in preview.kept.categories.items()}
            for category, count in expected["category"].value_counts().items():
                assert shares[category] == pytest.approx(count / len(expected))


def look_ahead(
    path: Path, plan: InputPlan, options: RunOptions
) -> tuple[Preview, DuplicatePreview]:
    with TemporaryDirectory() as scratch:
        preview = preview_list(path, plan, JUDGE, Path(scratch))
        request = PartRequest(path, plan, options, Path(scratch))
        return preview, preview_duplicates(request, JUDGE)


def test_a_sheet_of_many_blocks_and_cells_of_every_kind() -> None:
    count, name = 12_000, "list.xlsx"
    cells = [one for one in ADDRESSES if one.strip()]
    rows = [
        (str(row), cells[row % len(cells)], cells[row * 7 // 5 % len(cells)], f"n{row}", "")
        for row in range(count)
    ]
    rows = [
        (one, "" if place % 5 == 3 else first, "" if place % 7 == 2 else second, *rest)
        for place, (one, first, second, *rest) in enumerate(rows)
    ]
    made = Made(tuple(rows), (None,) * count)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(HEADER)
    for row in rows:
        sheet.append([cell or None for cell in row])
    out = io.BytesIO()
    book.save(out)
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(out.getvalue())
        judged = [judge_column(name, path, one) for one in (FIRST, SECOND)]
        _, work = run(path, plan_both(path, name), deduplicate=False)
        _, *found = read_cells(name, (work / RESULT_NAME).read_bytes())
    expected = join_runs(made, judged, None)
    columns = ["id", "used", "email_category", "when_category", "category", "type"]
    assert [[row[0], *row[5:]] for row in found] == expected[columns].to_numpy().tolist()


@pytest.mark.parametrize("name", ["list.csv", "list.tsv", "list.xlsx", "list.parquet"])
def test_addresses_are_repaired_before_they_are_weighed(name: str, tmp_path: Path) -> None:
    rows = (
        ("1", "mailto:a@frei.de", "b@wegwerf.net", "", ""),
        ("2", "b@wegwerf.net", "mailto:c@frei.de", "", ""),
        ("3", "mailto:f@frei.de", "mailto:g@frei.de", "", ""),
        ("4", "x y", "c@frei.de", "", ""),
    )
    path = tmp_path / name
    path.write_bytes(WRITERS[name](Made(rows, (None,) * 4)))
    for place in RepairPlace:
        options = RunOptions(repair=RepairChoice(SAFE_KINDS, place=place))
        outcome, work = run(path, plan_both(path, name), options=options)
        _, *found = read_cells(name, (work / RESULT_NAME).read_bytes())
        assert [row[5] for row in found] == ["a@frei.de", "f@frei.de", "c@frei.de"]
        assert [row[6:8] for row in found] == [
            ["white", "black"],
            ["white"] * 2,
            ["black", "white"],
        ]
        assert [row[1:3] for row in found] == [list(rows[place][1:3]) for place in (0, 2, 3)]
        assert sum(outcome.summary.repaired.values()) == 2
        for file in work.iterdir():
            file.unlink()
        work.rmdir()


def test_names_of_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes('E-Mail;"Büro; ""alt""";E-Mail_category;email_used\n'.encode("cp1252"))
    with path.open("ab") as file:
        file.write("ä b;z@frei.de;x;y\n".encode("cp1252"))
    plan = plan_input(read_head(path, path.name), email_column=1, second_email_column=0)
    assert not plan.judges_both
    head = read_head(path, path.name, Choices(second_email_column=1, judges_both=True))
    plan = plan_input(head, email_column=0)
    outcome, work = run(path, plan)
    frame = pd.read_csv(work / RESULT_NAME, sep=";", encoding="cp1252")
    assert list(frame.columns)[4:] == [
        *("email_used_2", "E-Mail_category_2", 'Büro; "alt"_category', "category", "domain_type")
    ]
    assert frame.iloc[0, 4:].tolist() == ["z@frei.de", "black", "white", "white", "free"]
    [renamed] = [one.text for one in outcome.notices if one.code == "columns_renamed"]
    assert "E-Mail_category \N{RIGHTWARDS ARROW} E-Mail_category_2" in renamed
    [said] = [one.text for one in outcome.notices if one.code == "both_columns"]
    assert "both checked. The column email_used_2 holds the better one" in said
    rows = ResultRows.open(work, plan)
    choice = DownloadChoice(adds_reason=True)
    text = b"".join(rows.stream(Export(choice=choice))).decode("cp1252")
    assert text.splitlines()[0].endswith('"Büro; ""alt""_category";category;domain_type;reason')


def test_a_list_whose_own_bytes_come_back_and_one_without_a_header(tmp_path: Path) -> None:
    lines = "名前,\u30e1\u30fc\u30eb,\u81ea\u5b85\nジョン,x y,a@frei.de\n中,b@frei.de,\n"
    path = tmp_path / "list.csv"
    path.write_bytes(lines.encode("cp932"))
    head = read_head(path, path.name, Choices(encoding="cp932"))
    plan = plan_input(head, email_column=1, second_email_column=2, judges_both=True)
    _, work = run(path, plan)
    frame = pd.read_csv(work / RESULT_NAME, encoding="cp932", keep_default_na=False)
    assert list(frame.columns)[3:6] == ["email_used", "メール_category", "自宅_category"]
    assert frame["email_used"].tolist() == ["a@frei.de", "b@frei.de"]
    assert frame["自宅_category"].tolist() == ["white", ""]
    text = b"".join(ResultRows.open(work, plan).stream())
    assert text == (work / RESULT_NAME).read_bytes()
    bare = tmp_path / "bare.csv"
    bare.write_bytes(b"x y,a@frei.de\nb@frei.de,b@wegwerf.net\n")
    head = read_head(bare, bare.name, Choices(has_header=False))
    plan = plan_input(head, email_column=0, second_email_column=1, judges_both=True)
    work.rename(tmp_path / "before")
    _, work = run(bare, plan)
    assert (work / RESULT_NAME).read_text().splitlines() == [
        "x y,a@frei.de,a@frei.de,black,white,white,free",
        "b@frei.de,b@wegwerf.net,b@frei.de,white,black,white,free",
    ]


@pytest.mark.parametrize("columns", [(FIRST, FIRST), ("", "x")])
def test_columns_of_one_name_and_without_a_name(columns: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(f"{columns[0]},{columns[1]}\na@frei.de,b@frei.de\n".encode())
    head = read_head(path, path.name, Choices(has_header=True))
    plan = plan_input(head, email_column=0, second_email_column="2", judges_both=True)
    _, work = run(path, plan)
    names = (work / RESULT_NAME).read_text().splitlines()[0].split(",")[3:5]
    wanted = {
        FIRST: ["email_category", "email_category_2"],
        "": ["column_1_category", "x_category"],
    }
    assert names == wanted[columns[0]]


@pytest.mark.parametrize("name", ["list.csv", "list.tsv", "list.xlsx", "list.parquet"])
def test_own_lists_of_later_change_the_address_that_is_used(name: str, tmp_path: Path) -> None:
    path, out = tmp_path / name, tmp_path / "out"
    made = (
        ("1", "a@frei.de", "b@wegwerf.net", "", ""),
        ("2", "b@wegwerf.net", "x y", "", ""),
        ("3", "", "", "", "x"),
    )
    path.write_bytes(WRITERS[name](Made(made, (None,) * 3)))
    plan = plan_both(path, name)
    _, work = run(path, plan)
    own = OwnLists.build(
        2,
        [
            OwnEntry(Category.GREY, "frei.de", Reason.OWN_DOMAIN),
            OwnEntry(Category.WHITE, "b@wegwerf.net", Reason.OWN_ADDRESS),
        ],
    )
    rows = ResultRows.open(work, plan, look_through(work, plan, own))
    if plan.file_format.traits.is_text:
        out.write_bytes(b"".join(rows.stream()))
    else:
        list_format = find_format(plan.file_format)
        list_format.rewrite(RewriteRequest(work / RESULT_NAME, rows, out, plan))
    header, *found = read_cells(name, out.read_bytes())
    assert header == [*HEADER, *ADDED]
    assert [row[5:] for row in found] == [
        ["a@frei.de", "grey", "black", "grey", "grey"],
        ["b@wegwerf.net", "white", "black", "white", "white"],
        ["", "", "", "black", "invalid"],
    ]
    if plan.file_format.traits.is_text:  # and without them it is as it was
        rows = ResultRows.open(work, plan)
        assert b"".join(rows.stream()) == (work / RESULT_NAME).read_bytes()


@pytest.mark.parametrize("name", ["list.csv", "list.xlsx", "list.parquet"])
def test_what_is_asked_of_a_result_goes_by_the_address_that_is_used(
    name: str, tmp_path: Path
) -> None:
    filled = [one for one in ADDRESSES if one.strip()]
    made = Made(
        tuple(
            (
                str(row),
                filled[row % len(filled)],
                ADDRESSES[row * 5 // 3 % len(ADDRESSES)],
                "",
                city,
            )
            for row, city in enumerate(("Bonn", "Linz", "Black") * 40)
        ),
        (None,) * 120,
    )
    path = tmp_path / name
    path.write_bytes(WRITERS[name](made))
    plan = plan_both(path, name)
    judged = [judge_column(name, path, one) for one in (FIRST, SECOND)]
    frame = join_runs(made, judged, None)
    _, work = run(path, plan, deduplicate=False)
    rows = ResultRows.open(work, plan)
    for category, of_category in frame.groupby("category"):
        chosen = RowFilter(Chosen().choose(CATEGORY, str(category)))
        found = rows.page(chosen, 0, 200).rows
        assert [row.cells[0] for row in found] == of_category["id"].tolist()
    table = rows.own_columns.tables[HEADER.index("city")]
    verdicts = rows.own_columns.outcomes.verdicts
    counts = pd.DataFrame(table.counts, table.texts, [one.category.value for one in verdicts])
    counts = counts.T.groupby(level=0).sum().T
    expected = pd.crosstab(frame["city"], frame["category"])
    assert counts.loc[expected.index, expected.columns].to_numpy().tolist() == (
        expected.to_numpy().tolist()
    )
    assert rows.count(RowFilter(text="black")) == (frame["city"] == "Black").sum()
    stays = frame[frame["category"] != "black"]["used"].tolist()
    export = Export(Variant.CLEANED)
    assert [row.email.strip() for row in rows.first_rows(export, 200)] == stays
    file = PlatformExport(rows, export, PlatformFile(Platform.KLAVIYO))
    sent = b"".join(file.stream()).decode("utf-8-sig")
    assert [row[0].strip() for row in csv.reader(io.StringIO(sent, newline=""))][1:] == stays


def test_a_second_column_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(b"email,x\na@frei.de,\n")
    with pytest.raises(BadField, match="judge_both: needs a second column"):
        plan_input(read_head(path, path.name), judges_both=True)
