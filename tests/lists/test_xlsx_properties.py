"""Whatever way a sheet is written, the same rows come out, with the single check's verdicts."""

import csv
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lists.xlsx_support import TRASH, build_judge, ignore_progress
from winnow.core.addresses.address import duplicate_key
from winnow.core.errors import InputError
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.judge import judge_text
from winnow.lists.formats.xlsx import archive as xlsx_archive
from winnow.lists.formats.xlsx.batch import run_xlsx_batch
from winnow.lists.requests import BatchRequest

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"


@dataclass(frozen=True)
class Form:
    """One of the ways in which programs write the same sheet."""

    prefix: str = ""
    references: bool = True
    shared: bool = True
    spans: bool = False
    spaced: bool = False
    comments: bool = False
    encoding: str = "utf-8"


FORMS = {
    "as-excel": Form(spans=True),
    "as-openpyxl": Form(shared=False),
    "prefixed": Form(prefix="x:"),
    "without-references": Form(references=False),
    "spaced-out": Form(spaced=True, shared=False),
    "with-comments": Form(comments=True),
    "utf-16": Form(encoding="utf-16"),
}


def render(rows: Sequence[Sequence[str | int | None]], form: Form) -> bytes:
    """Write a workbook with one sheet in a form."""
    p, strings = form.prefix, list[str]()
    gap = "\n  " if form.spaced else ""
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = []
        for column, value in enumerate(row):
            place = f' r="{"ABCDEF"[column]}{number}"' if form.references else ""
            if value is None:
                if not form.references:
                    cells.append(f"<{p}c/>")
                continue
            if isinstance(value, int):
                cells.append(f"<{p}c{place}><{p}v>{value}</{p}v></{p}c>")
            elif form.shared:
                strings.append(value)
                cells.append(f'<{p}c{place} t="s"><{p}v>{len(strings) - 1}</{p}v></{p}c>')
            else:
                text = f'<{p}t xml:space="preserve">{escape(value)}</{p}t>'
                cells.append(f'<{p}c{place} t="inlineStr"><{p}is>{text}</{p}is></{p}c>')
        remark = "<!-- </row> -->" if form.comments else ""
        numbered = f' r="{number}"' if form.references else ""
        numbered += ' spans="1:3"' if form.spans else ""
        body = gap.join(cells)
        lines.append(
            f"<{p}row{numbered}>{gap}{body}{gap}{remark}</{p}row>"
            if cells
            else f"<{p}row{numbered}/>"
        )
    xmlns = f'xmlns:x="{MAIN}"' if p else f'xmlns="{MAIN}"'
    sheet = f"<{p}worksheet {xmlns}><{p}sheetData>{gap.join(lines)}</{p}sheetData></{p}worksheet>"
    items = "".join(
        f'<{p}si><{p}t xml:space="preserve">{escape(text)}</{p}t></{p}si>' for text in strings
    )
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-'
        'package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{TYPES}.sheet.main+xml"/>'
        f'<Override PartName="/xl/odd/name.xml" ContentType="{TYPES}.worksheet+xml"/>'
        f'<Override PartName="/xl/texts.xml" ContentType="{TYPES}.sharedStrings+xml"/></Types>',
        "_rels/.rels": _relate(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>'
        '<sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relate(
            ("worksheet", "odd/name.xml"), ("sharedStrings", "/xl/texts.xml")
        ),
        "xl/odd/name.xml": sheet,
        "xl/texts.xml": f"<{p}sst {xmlns}>{items}</{p}sst>",
    }
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            is_data = name in ("xl/odd/name.xml", "xl/texts.xml")
            encoding = form.encoding if is_data else "utf-8"
            declaration = f'<?xml version="1.0" encoding="{encoding}"?>'
            archive.writestr(name, (declaration + text).encode(encoding))
    return memory.getvalue()


def _relate(*targets: tuple[str, str]) -> str:
    entries = "".join(
        f'<Relationship Id="rId{number}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    xmlns = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{xmlns}">{entries}</Relationships>'


ADDRESSES = st.sampled_from(
    [
        "ana@firm.example.com",
        " Ana@FIRM.example.com",
        f"x+tag@{TRASH}",
        "info@münchen.example",
        "INFO@xn--mnchen-3ya.example",
        "no at sign",
        "NO at sign ",
        "a@b",
        '"quoted local"@firm.example.com',
        '"',
        "a&b@firm.example.com",
        "Ana <ana@firm.example.com>",
    ]
)
TEXTS = st.text(
    st.characters(
        codec="utf-8",
        exclude_categories=("Cs", "Cc"),
        include_characters="\n\t",
        exclude_characters="\ufffe\uffff",  # not in XML: the made-up source could not be read
    ),
    max_size=8,
).filter(lambda text: "_x" not in text)
ROWS = st.lists(
    st.tuples(
        TEXTS | st.integers(-(10**12), 10**12) | st.none(),
        ADDRESSES | TEXTS | st.integers(0, 99) | st.none(),
        TEXTS | st.none(),
    ),
    min_size=1,
    max_size=12,
)


def _run(rows: Sequence[Sequence[str | int | None]], form: Form) -> tuple[list[tuple], list[list]]:
    """Return the result's rows as openpyxl reads them, and the row index's lines."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "list.xlsx"
        path.write_bytes(render([("a", "email", "c"), *rows], form))
        plan = InputPlan(FileFormat.XLSX, 1, ("a", "email", "c"), sheet="Data")
        run_xlsx_batch(
            BatchRequest(
                path, plan, build_judge(), folder, deduplicate=True, report=ignore_progress
            )
        )
        with (folder / "result").open("rb") as file:
            written = list(openpyxl.load_workbook(file)["Data"].iter_rows(values_only=True))
        with (folder / "rows.csv").open(encoding="utf-8", newline="") as file:
            return written, list(csv.reader(file))


def _expect(rows: Sequence[Sequence[str | int | None]]) -> tuple[list[tuple], list[list]]:
    """Say what must come out, one row at a time."""
    judge = build_judge()
    last = {duplicate_key(_show(row[1])): place for place, row in enumerate(rows)}
    written, lines = [("a", "email", "c", "category", "domain_type")], []
    for place, row in enumerate(rows):
        shown = [_show(value) for value in row]
        if not any(text.strip(" \t\n") for text in shown):
            written.append((*row, None, None))
            continue
        key = duplicate_key(shown[1])
        if key and last[key] != place:
            continue
        verdict = judge_text(judge, shown[1]).verdict
        written.append((*row, verdict.category.value, verdict.domain_type.value))
        lines.append(shown)
    return written, lines


def _show(value: str | int | None) -> str:
    return "" if value is None else str(value)


def _without_empties(rows: Sequence[tuple]) -> list[tuple]:
    """An empty text and no cell at all are one to the reader; so are blank rows at the end."""
    plain = [tuple(value if value != "" else None for value in row) for row in rows]
    while plain and not any(plain[-1]):
        plain.pop()
    return plain


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=ROWS)
def test_every_form_of_a_sheet_gives_the_rows_of_the_oracle(form: Form, rows: list[tuple]) -> None:
    written, lines = _expect(rows)
    if not lines:
        with pytest.raises(InputError, match="no rows"):
            _run(rows, form)
        return
    found_written, found_lines = _run(rows, form)
    assert _without_empties(found_written) == _without_empties(written)
    assert found_lines == lines


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    cuts=st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=6)), min_size=1, max_size=3),
    form=st.sampled_from([FORMS["as-excel"], FORMS["prefixed"], FORMS["as-openpyxl"]]),
)
def test_damaged_sheets_end_in_a_clear_error_or_a_result(
    cuts: list[tuple[int, bytes]], form: Form
) -> None:
    rows = [("a", "email", "c"), ("1", "ana@firm.example.com", 5), (None, f"b@{TRASH}", "x")]
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "list.xlsx"
        with (
            zipfile.ZipFile(io.BytesIO(render(rows, form))) as source,
            zipfile.ZipFile(path, "w") as target,
        ):
            for part in source.namelist():
                content = source.read(part)
                if part in ("xl/odd/name.xml", "xl/texts.xml"):
                    for place, extra in cuts:
                        place %= len(content)
                        content = content[:place] + extra + content[place + len(extra) + 1 :]
                target.writestr(part, content)
        plan = InputPlan(FileFormat.XLSX, 1, ("a", "email", "c"), sheet="Data")
        try:
            run_xlsx_batch(
                BatchRequest(
                    path, plan, build_judge(), folder, deduplicate=True, report=ignore_progress
                )
            )
        except InputError as error:
            shown = error.detail
        else:
            shown = ""
        assert "@" not in shown


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_block_size_changes_nothing(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"user{place * place % 700}" for place in range(900)]
    rows: list[tuple[str | int | None, ...]] = [
        (place, f"{name}@d{place % 11}.example.com", "a, b" if place % 5 else None)
        for place, name in enumerate(names)
    ]
    rows[400] = (None, None, None)
    written, lines = _run(rows, form)
    expected_written, expected_lines = _expect(rows)
    assert written == expected_written
    assert lines == expected_lines
    monkeypatch.setattr(xlsx_archive, "CHUNK_BYTES", 5_000)
    assert _run(rows, form) == (written, lines)
