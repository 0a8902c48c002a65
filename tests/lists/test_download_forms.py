"""Rows on their way out: any choice of what goes, added columns, other formats."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import KNOWLEDGE, MadeList, Run, clean, run_list, scratch_folder
from tests.lists.test_delimited_properties import made_lists
from winnow.core.lists.cleaning import CleaningPolicy, weigh
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.judge import Judge, judge_text
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.result import row_index
from winnow.lists.result.row_index import RowIndex

JUDGE = Judge(KNOWLEDGE)
POLICIES = st.frozensets(st.sampled_from(Ground)).map(CleaningPolicy)
SLOW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def send(run: Run, variant: Variant, choice: DownloadChoice) -> bytes:
    """Return a whole download."""
    return b"".join(run.rows.stream(Export(variant, choice)))


def list_rows(made: MadeList, run: Run) -> list[tuple[tuple[str, ...], str, Verdict]]:
    """Return the kept rows the plain way: cells padded to the widest, email, verdict."""
    rows = []
    for record in made.kept(deduplicate=False):
        cells = record.cells + ("",) * (made.widest - len(record.cells))
        email = made.email_of(record)
        rows.append((cells, email, judge_text(JUDGE, email).verdict))
    return rows


@SLOW
@given(made=made_lists(), policy=POLICIES)
def test_what_stays_and_what_goes_are_all_rows_in_order(
    made: MadeList, policy: CleaningPolicy
) -> None:
    if not made.rows():
        return
    with scratch_folder() as folder:
        run = run_list(made.data, made.plan, JUDGE, Path(folder), deduplicate=False)
        index = RowIndex.open(run.folder)
        text = index.text_path.read_bytes()
        bounds = index.bounds(0, index.row_count).tolist()
        verdicts = [verdict for _, _, verdict in list_rows(made, run)]
        choice = DownloadChoice(policy)

        def expected(wanted: list[bool]) -> bytes:
            rows = [
                text[start:end]
                for start, end, is_in in zip(bounds, bounds[1:], wanted, strict=False)
                if is_in
            ]
            whole = text[: index.text.head_bytes] + b"".join(rows)
            if index.text.file_name == "result":
                return whole
            return made.bom + whole.decode("utf-8", "surrogatepass").encode(
                made.encoding, "surrogatepass"
            )

        goes = [policy.removes(verdict) for verdict in verdicts]
        is_grey = [verdict.category is Category.GREY for verdict in verdicts]
        assert send(run, Variant.REMOVED, choice) == expected(goes)
        assert send(run, Variant.CLEANED, choice) == expected([not one for one in goes])
        assert send(run, Variant.REVIEW, choice) == expected(
            [grey and not gone for grey, gone in zip(is_grey, goes, strict=True)]
        )
        effect = weigh(policy, run.rows.count_verdicts())
        assert (effect.rows, effect.lost) == (len(verdicts), sum(goes))


@SLOW
@given(made=made_lists(), deduplicate=st.booleans())
def test_reasons_stand_behind_the_stored_cells(made: MadeList, deduplicate: bool) -> None:
    if not made.rows():
        return
    with scratch_folder() as folder:
        run = run_list(made.data, made.plan, JUDGE, Path(folder), deduplicate=deduplicate)
        reason = DownloadChoice(adds_reason=True)

        def word(text: str, verdict: Verdict) -> tuple[str, ...]:
            return ("; ".join(verdict.reasons),)

        assert send(run, Variant.AUGMENTED, reason) == made.expected(
            JUDGE, deduplicate=deduplicate, names=("reason",), more=word
        )
        assert send(run, Variant.AUGMENTED, NOTHING_CHOSEN) == run.result


@SLOW
@given(
    made=made_lists(),
    policy=POLICIES,
    file_format=st.sampled_from((FileFormat.CSV, FileFormat.TSV)),
    is_safe=st.booleans(),
    has_extras=st.booleans(),
)
def test_another_format_holds_the_same_cells(
    made: MadeList,
    policy: CleaningPolicy,
    file_format: FileFormat,
    is_safe: bool,
    has_extras: bool,
) -> None:
    if not made.rows():
        return
    choice = DownloadChoice(policy, has_extras, is_safe, file_format)
    with scratch_folder() as folder:
        run = run_list(made.data, made.plan, JUDGE, Path(folder), deduplicate=False)
        content = send(run, Variant.CLEANED, choice)
        text = content.decode("utf-8")
        assert text.startswith("\ufeff") is is_safe
        delimiter = "," if file_format is FileFormat.CSV else "\t"
        found = list(
            csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter)
        )
        assert found == expect_cells(made, run, choice)


def expect_cells(made: MadeList, run: Run, choice: DownloadChoice) -> list[list[str]]:
    """Return the header and the rows that stay, as a plain reader must find them."""
    rows = []
    if made.has_header:
        blank = ("",) * (made.widest - len(made.names))
        rows.append([*made.names, *blank, "category", "domain_type", *choice.extra_columns])
    for cells, _, verdict in list_rows(made, run):
        if choice.policy.removes(verdict):
            continue
        row = [*cells, verdict.category.value, verdict.domain_type.value]
        if choice.adds_reason:
            row.append("; ".join(verdict.reasons))
        rows.append([mend(cell) for cell in row])
    if not choice.safe_for_excel or choice.file_format is FileFormat.XLSX:
        return rows
    return [["'" + cell if cell[:1] in set("=+-@\t\r") else cell for cell in row] for row in rows]


def mend(cell: str) -> str:
    """Return a cell without half characters, which UTF-8 cannot hold."""
    return cell.encode("utf-8", "replace").decode()


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
