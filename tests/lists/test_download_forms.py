"""Rows on their way out: any choice of what goes, added columns, other formats."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import KNOWLEDGE, MadeList, Run, clean, run_list, scratch_folder
from tests.lists.row_files import write_row_files
from tests.lists.test_delimited_properties import made_lists
from tests.tables import read_csv
from winnow.core.judging.judge import Judge, judge_text
from winnow.core.lists.cleaning import CleaningPolicy, weigh
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result import row_index
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_index import RowIndex
from winnow.lists.result.row_text import RowText
from winnow.lists.result.row_view import RowView

JUDGE = Judge(KNOWLEDGE)


def send(run: Run, variant: Variant, choice: DownloadChoice) -> bytes:
    """Return a whole download."""
    return b"".join(run.rows.stream(Export(variant, choice)))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    made=made_lists(),
    policy=st.frozensets(st.sampled_from(Ground)).map(CleaningPolicy),
    file_format=st.sampled_from((FileFormat.CSV, FileFormat.TSV)),
    is_safe=st.booleans(),
    has_extras=st.booleans(),
    deduplicate=st.booleans(),
)
def test_any_list_goes_out_in_any_form(
    made: MadeList,
    policy: CleaningPolicy,
    file_format: FileFormat,
    is_safe: bool,
    has_extras: bool,
    deduplicate: bool,
) -> None:
    assume(made.rows())
    with scratch_folder() as folder:
        run = run_list(made.data, made.plan, Path(folder), judge=JUDGE, deduplicate=deduplicate)
        assert send(run, Variant.AUGMENTED, NOTHING_CHOSEN) == run.result
        reasons = send(run, Variant.AUGMENTED, DownloadChoice(adds_reason=True))
        assert reasons == made.expected(
            JUDGE,
            deduplicate=deduplicate,
            names=("reason",),
            more=lambda text, verdict: ("; ".join(verdict.reasons),),
        )
        rows = [  # cells padded to the widest, verdict
            (
                record.cells + ("",) * (made.widest - len(record.cells)),
                judge_text(JUDGE, made.email_of(record)).verdict,
            )
            for record in made.kept(deduplicate=deduplicate)
        ]
        check_variants(made, run, policy, [verdict for _, verdict in rows])
        choice = DownloadChoice(policy, has_extras, is_safe, file_format)
        text = send(run, Variant.CLEANED, choice).decode()
        assert text.startswith("\ufeff") is is_safe
        delimiter = "," if file_format is FileFormat.CSV else "\t"
        found = read_csv(text.removeprefix("\ufeff"), delimiter, strict=False)
        assert found == expect_cells(made, rows, choice)


def check_variants(
    made: MadeList, run: Run, policy: CleaningPolicy, verdicts: list[Verdict]
) -> None:
    """Require that what stays and what goes are all rows, in their order."""
    index = RowIndex.open(run.folder)
    text = index.text_path.read_bytes()
    bounds = index.bounds(0, index.row_count).tolist()

    def expect(wanted: list[bool]) -> bytes:
        rows = [text[bounds[row] : bounds[row + 1]] for row, is_in in enumerate(wanted) if is_in]
        whole = text[: index.text.head_bytes] + b"".join(rows)
        if index.text.file_name == "result":
            return whole
        written = whole.decode("utf-8", "surrogatepass").encode(made.encoding, "surrogatepass")
        return made.bom + written

    goes = [policy.removes(verdict) for verdict in verdicts]
    wanted = {
        Variant.REMOVED: goes,
        Variant.CLEANED: [not one for one in goes],
        Variant.REVIEW: [
            verdict.category is not Category.WHITE and not is_gone
            for verdict, is_gone in zip(verdicts, goes, strict=True)
        ],
    }
    for variant, rows in wanted.items():
        assert send(run, variant, DownloadChoice(policy)) == expect(rows)
    effect = weigh(policy, run.rows.count_verdicts())
    assert (effect.rows, effect.lost) == (len(verdicts), sum(goes))


def expect_cells(
    made: MadeList, kept: list[tuple[tuple[str, ...], Verdict]], choice: DownloadChoice
) -> list[list[str]]:
    """Return the header and the rows that stay, as a plain reader must find them."""
    rows = []
    if made.has_header:
        blank = ("",) * (made.widest - len(made.names))
        rows.append([*made.names, *blank, "category", "domain_type", *choice.extra_columns])
    for cells, verdict in kept:
        if choice.policy.removes(verdict):
            continue
        row = [*cells, verdict.category.value, verdict.domain_type.value]
        if choice.adds_reason:
            row.append("; ".join(verdict.reasons))
        # UTF-8 cannot hold half characters
        rows.append([cell.encode("utf-8", "replace").decode() for cell in row])
    if not choice.safe_for_excel or choice.file_format is FileFormat.XLSX:
        return rows
    return [["'" + cell if cell[:1] in set("=+-@\t\r") else cell for cell in row] for row in rows]


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_names_that_the_list_has_already_get_a_number(tmp_path: Path, delimiter: str) -> None:
    data = "email,reason\nana@frei.de,x\n".replace(",", delimiter).encode()
    head = send(clean(data, tmp_path), Variant.AUGMENTED, DownloadChoice(adds_reason=True))
    names = head.splitlines()[0].decode().split(delimiter)
    assert names[2:] == ["category", "domain_type", "reason_2"]


def test_the_line_that_names_the_delimiter_stays_behind(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbfsep=;\r\nemail;name\r\nana@frei.de;\xc3\xa4,b\r\n"
    run = clean(data, tmp_path, judge=JUDGE)
    content = send(run, Variant.CLEANED, DownloadChoice(file_format=FileFormat.TSV)).decode()
    assert content == (
        "email\tname\tcategory\tdomain_type\r\nana@frei.de\t\u00e4,b\twhite\tfree\r\n"
    )


@pytest.mark.parametrize("changed", [False, True])
def test_a_result_with_another_number_of_added_columns_keeps_them(
    tmp_path: Path, changed: bool
) -> None:
    verdicts = [judge_text(JUDGE, text).verdict for text in ("a@frei.de", "a@wegwerf.net")]
    rows = zip((b"a@frei.de,white\n", b"a@wegwerf.net,black\n"), verdicts, strict=True)
    text = RowText("result", width=1, has_verdicts=True, added_count=1)
    write_row_files(tmp_path, [(row, verdict, "") for row, verdict in rows], text)
    view = RowView.as_judged(RowIndex.open(tmp_path))
    view = replace(
        view, verdicts=(verdicts[1],), changed=np.zeros(2, np.uint16), alters_result=True
    )
    plan = InputPlan(FileFormat.CSV, 0, ("email",), has_header=False)
    opened = ResultRows(tmp_path, plan, view if changed else None)
    first = "a@frei.de,black" if changed else "a@frei.de,white"
    assert b"".join(opened.stream()).decode().split() == [first, "a@wegwerf.net,black"]
    form = DownloadChoice(adds_reason=True, file_format=FileFormat.TSV)
    sent = b"".join(opened.stream(Export(choice=form))).decode().splitlines()
    assert [line.split("\t")[:2] for line in sent] == [first.split(","), ["a@wegwerf.net", "black"]]
    assert {len(line.split("\t")) for line in sent} == {3}
    assert [row.cells for row in opened.page(RowFilter(), 0, 9).rows] == [
        ("a@frei.de",),
        ("a@wegwerf.net",),
    ]


def test_any_stretch_of_rows_gives_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emails = ("Ana <ana@frei.de>", "ana@firm.co.uk", "info@frei.de", "x@wegwerf.net", "a@b.de")
    rows = "".join(f'{number},"{emails[number % 5]}"\r\n' for number in range(40))
    run = clean(f"id,email\r\n{rows}".encode(), tmp_path, judge=JUDGE, deduplicate=False)
    policy = CleaningPolicy(frozenset({Ground.BLACK, Ground.ROLE_ACCOUNT}))
    choices = [
        DownloadChoice(policy, adds_reason=True),
        DownloadChoice(policy, True, True, FileFormat.TSV),
    ]
    variants = (Variant.CLEANED, Variant.REMOVED, Variant.AUGMENTED)

    def send_all() -> list[bytes]:
        return [send(run, variant, choice) for variant in variants for choice in choices]

    whole = send_all()
    added = run.rows.find_added_cells(Export(choice=choices[0]))
    for count in (1, 3, 39):
        monkeypatch.setattr(row_index, "ROWS_PER_RUN", count)
        assert send_all() == whole
        again = run.rows.find_added_cells(Export(choice=choices[0]))
        assert (again.codes.tolist(), again.texts) == (added.codes.tolist(), added.texts)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_a_list_for_excel_is_utf_8_with_its_own_delimiter(tmp_path: Path, encoding: str) -> None:
    data = "=id;email\n-1;ana@firm.de\n2;b\u00f6@firm.de\n".encode(encoding)
    choice = DownloadChoice(safe_for_excel=True)
    rows = clean(data, tmp_path, judge=JUDGE, deduplicate=False).rows
    lines = b"".join(rows.stream(Export(choice=choice))).decode().split("\r\n")
    assert lines[0] == "\ufeff'=id;email;category;domain_type"
    assert [line.split(";")[:2] for line in lines[1:]] == [
        ["'-1", "ana@firm.de"],
        ["2", "b\u00f6@firm.de"],
        [""],
    ]
