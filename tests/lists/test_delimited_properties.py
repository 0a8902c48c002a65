"""Any list in any dialect: the result is what a plain reading of the rules gives, byte for byte."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import JUDGE, MadeList, Record, run_list, scratch_folder
from winnow.core.judging.judge import SandboxJudge, judge_text
from winnow.core.lists.exports import Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.tasks.input_plan import InputPlan

_ENCODINGS = (
    ("utf-8", b""),
    ("utf-8", b"\xef\xbb\xbf"),
    ("cp1252", b""),
    ("latin-1", b""),
    ("utf-16-le", b"\xff\xfe"),
    ("utf-16-be", b"\xfe\xff"),
    ("cp932", b""),
    ("gb18030", b""),
    ("cp950", b""),
)
_LOCAL_PARTS = st.sampled_from(
    (
        "ana", "Ana", "ana+news", "+ana", "a.b.c.d.e", "info", "INFO+x", "sales", "j\u00f6rg",
        "jo\u0308rg", '"a b"', '"a,b"', "a..b", ".a", "a.", "", "a b", "o'hara", "x" * 64, "x" * 65,
        "a@b",
    )
)  # fmt: skip
_DOMAINS = st.sampled_from(
    (
        "frei.de", "FREI.de", "wegwerf.net", "b\u00fcro.de", "B\u00dcRO.de", "xn--bro-hoa.de",
        "bu\u0308ro.de", "firm.co.uk", "localhost", "", "x..de", "-x.de", "a.test", "[127.0.0.1]",
        "d" * 64 + ".de", ".".join(["long"] * 60) + ".de", "frei.de ", "frei.d\u00e9", "f\u00e9",
        " frei.de", "\u4f8b" * 22 + ".jp",
    )
)  # fmt: skip
_ODD_VALUES = st.sampled_from(
    ("", " ", "n/a", "N/A ", "ana", "Ana <ana@frei.de>", "mailto:ana@frei.de", "@", "a@", "a@ ",
     "@frei.de", " ana@frei.de\t", "ana@frei.de\n", 'ana"@frei.de', "\u3000ana@frei.de", "a@b@c.de")
)  # fmt: skip
EMAILS = st.one_of(
    _ODD_VALUES,
    st.builds(lambda local, domain: f"{local}@{domain}", _LOCAL_PARTS, _DOMAINS),
    st.builds(lambda local, domain: f"{local}@{domain}", _LOCAL_PARTS, _DOMAINS),
    st.text("ab@.+ <>\u00e9", max_size=8),
)
# Some letters of two bytes end in a backslash or a vertical bar.
_PLAIN_CELLS = st.text('abz01 ="\n\r\u00e9\u8868\u30dd\u529f,;|\t', max_size=8)


def _encodable(text: str, encoding: str) -> str:
    return text.encode(encoding, "ignore").decode(encoding)


def _write_cell(draw: st.DrawFn, cell: str, delimiter: str) -> str:
    must_quote = cell.startswith('"') or any(mark in cell for mark in (delimiter, "\n", "\r"))
    if must_quote or draw(st.booleans()):
        return '"' + cell.replace('"', '""') + '"'
    return cell  # a quote in mid-cell stands as it is


@st.composite
def made_lists(
    draw: st.DrawFn,
    emails: st.SearchStrategy[str] = EMAILS,
    plain_cells: st.SearchStrategy[str] = _PLAIN_CELLS,
    most_rows: int = 12,
) -> MadeList:
    delimiter = draw(st.sampled_from(",;\t|"))
    encoding, bom = draw(st.sampled_from(_ENCODINGS))
    line_ends = draw(st.sampled_from((("\n",), ("\r\n",), ("\r",), ("\n", "\r\n"))))
    width = draw(st.integers(2, 4))
    column = draw(st.integers(0, width - 1))
    is_ragged = draw(st.booleans())
    has_header = draw(st.booleans())
    names = [f"n{place}" for place in range(width)]
    names[column] = "email"
    records = []
    if has_header:
        records.append(
            Record(tuple(names), delimiter.join(names), draw(st.sampled_from(line_ends)))
        )
    for _ in range(draw(st.integers(1, most_rows))):
        line_end = draw(st.sampled_from(line_ends))
        if draw(st.integers(0, 9)) == 0:
            records.append(Record(("",), draw(st.sampled_from(("", "  "))), line_end))
            continue
        count = draw(st.integers(1, width + 2)) if is_ragged else width
        cells = [_encodable(draw(plain_cells), encoding) for _ in range(count)]
        if column < count:
            cells[column] = _encodable(draw(emails), encoding)
        raw = delimiter.join(_write_cell(draw, cell, delimiter) for cell in cells)
        records.append(Record(tuple(cells), raw, line_end))
    if not has_header:  # the plan's columns come from the first row
        width = next((len(row.cells) for row in records if not row.is_blank), width)
        names = [f"column {place + 1}" for place in range(max(width, column + 1))]
    if draw(st.booleans()) and not records[-1].is_blank:
        records[-1] = Record(records[-1].cells, records[-1].raw, "")
    return MadeList(tuple(records), delimiter, encoding, bom, column, has_header, tuple(names))


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    made=made_lists(),
    deduplicate=st.booleans(),
    block_bytes=st.sampled_from((1, 7, 64, 1 << 22)),
    is_sandbox=st.booleans(),
)
@example(
    made=MadeList(
        (
            Record(("email", "name"), "email,name", "\n"),
            Record(("ana@frei.de", '5" disk'), 'ana@frei.de,5" disk', "\n"),
            Record(("ana@frei.de", "a\nb"), 'ana@frei.de,"a\nb"', ""),
        )
    ),
    deduplicate=True,
    block_bytes=7,
    is_sandbox=False,
)
def test_result_is_what_the_rules_say(
    made: MadeList, deduplicate: bool, block_bytes: int, is_sandbox: bool
) -> None:
    if not made.rows():
        return
    judge = SandboxJudge() if is_sandbox else JUDGE
    with scratch_folder() as folder:
        options = {"deduplicate": deduplicate, "block_bytes": block_bytes}
        run = run_list(made.data, made.plan, Path(folder), judge=judge, **options)
        assert run.result == made.expected(judge, deduplicate=deduplicate)

        kept = made.kept(deduplicate=deduplicate)
        judged = [judge_text(judge, made.email_of(row)) for row in kept]
        summary = run.outcome.summary
        assert summary.rows_in == len(made.rows())
        assert summary.rows_out == len(kept)
        assert summary.duplicates_removed == len(made.rows()) - len(kept)
        assert summary.charged == sum(one.address is not None for one in judged)
        assert summary.invalid == len(kept) - summary.charged
        assert summary.by_category == Counter(one.verdict.category for one in judged)
        assert summary.by_domain_type == Counter(one.verdict.domain_type for one in judged)
        assert summary.by_reason == Counter(
            reason for one in judged for reason in one.verdict.reasons
        )
        by_domain = Counter(
            (one.address.domain, one.verdict.category.value)
            for one in judged
            if one.address is not None
        )
        assert {(name, kind): count for name, kind, count in summary.top_domains} == by_domain

        page = run.rows.page(RowFilter(), 0, len(kept))
        assert page.matching == len(kept)
        for row, record, one in zip(page.rows, kept, judged, strict=True):
            assert row.cells == record.cells + ("",) * (made.widest - len(record.cells))
            assert row.email == made.email_of(record)
            assert row.verdict == one.verdict
        for variant in Variant:
            b"".join(run.rows.stream(Export(variant)))
        assert run.result.startswith(b"".join(run.rows.stream()))


_FOLDER = Path(__file__).parent.parent / "golden" / "batch"
_CASES = sorted(path.stem for path in _FOLDER.glob("*.in"))
"""``NAME.in`` beside ``NAME.out``, with the plan (``InputPlan``) and ``deduplicate`` in
``NAME.json``. A new case is three new files.
"""


@pytest.mark.parametrize("name", _CASES)
@pytest.mark.parametrize("block_bytes", [5, 1 << 22])
def test_golden(name: str, block_bytes: int, tmp_path: Path) -> None:
    choices = json.loads((_FOLDER / f"{name}.json").read_bytes())
    deduplicate = choices.pop("deduplicate", True)
    choices["columns"] = tuple(choices["columns"])
    plan = InputPlan(FileFormat(choices.pop("file_format", "csv")), **choices)
    data, options = (_FOLDER / f"{name}.in").read_bytes(), {"deduplicate": deduplicate}
    run = run_list(data, plan, tmp_path, block_bytes=block_bytes, **options)
    assert run.result == (_FOLDER / f"{name}.out").read_bytes()


def test_domains_are_numbered_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Blocks are read by two threads; which is quicker may not show in any file of the result."""
    names = [f"firm{number:05}.de" for number in range(20_000)]
    pick = random.Random(3)
    pick.shuffle(names)
    data = "email\n" + "".join(f"ana@{name}\n" for name in names)
    plan = InputPlan(FileFormat.CSV, 0, ("email",))
    run = run_list(data.encode(), plan, tmp_path, block_bytes=1 << 12)
    assert (run.folder / "rows.names").read_text().split() == names
