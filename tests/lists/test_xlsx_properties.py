"""Whatever way a sheet is written, the same rows come out, with the single check's verdicts."""

import csv
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lists import odd_spellings
from tests.lists.odd_spellings import Habits, Table
from tests.lists.xlsx_support import TRASH, build_judge, ignore_progress
from winnow.core.addresses.address import duplicate_key
from winnow.core.errors import InputError
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.judge import judge_text
from winnow.lists.formats.xlsx import archive as xlsx_archive
from winnow.lists.formats.xlsx.batch import run_xlsx_batch
from winnow.lists.requests import BatchRequest

Rows = Sequence[Sequence[str | int | None]]

FORMS = {
    "as-excel": Habits(wrong_spans=True),
    "as-openpyxl": Habits(texts="inline"),
    "prefixed": Habits(prefix="x:"),
    "without-references": Habits(rows_without_numbers=True, cells_without_places=True),
    "spaced-out": Habits(pretty=True, blanks_in_tags=True, texts="inline"),
    "with-comments": Habits(remarks=True),
    "utf-16": Habits(encoding="utf-16"),
}


def render(rows: Rows, form: Habits) -> bytes:
    """Write a workbook with a list in a form."""
    numbered = {number: dict(enumerate(row)) for number, row in enumerate(rows, start=1)}
    return odd_spellings.render(Table(numbered, 1, 1), form, seed=0)


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


def _run(
    rows: Sequence[Sequence[str | int | None]], form: Habits
) -> tuple[list[tuple], list[list]]:
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


def _expect(rows: Rows) -> tuple[list[tuple], list[list]]:
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
def test_every_form_gives_the_rows_of_the_oracle(form: Habits, rows: list[tuple]) -> None:
    written, lines = _expect(rows)
    if not lines:
        with pytest.raises(InputError, match="no rows"):
            _run(rows, form)
        return
    found_written, found_lines = _run(rows, form)
    assert _without_empties(found_written) == _without_empties(written)
    assert found_lines == lines


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    cuts=st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=6)), min_size=1, max_size=3),
    form=st.sampled_from([FORMS["as-excel"], FORMS["prefixed"], FORMS["as-openpyxl"]]),
)
def test_damaged_sheets_end_in_a_clear_error_or_a_result(
    cuts: list[tuple[int, bytes]], form: Habits
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
                if part in ("xl/sheets/data.xml", "xl/texts.xml"):
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
def test_block_size_changes_nothing(form: Habits, monkeypatch: pytest.MonkeyPatch) -> None:
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
