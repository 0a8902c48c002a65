"""Each entry point against a saved corpus and changes to it.

``FUZZ_EXAMPLES=20000 pytest tests/fuzz`` is the long mode: other examples each time, no limit.
What it finds is printed with a line to repeat it; add the input to ``corpus`` with the repair.
"""

import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import entries
from tests.fuzz.mutations import FUZZED, change, read_corpus
from tests.lists.xlsx_support import build_list
from tests.lists.zips import read_zip

ENTRIES: dict[str, Callable[[bytes], None]] = {
    "form": entries.parse_form,
    "content_types": entries.parse_content_type,
    "delimited": entries.clean_delimited,
    "packed": entries.clean_packed,
    "text": entries.judge_address,
    "own_lists": entries.import_own_list,
    "names": entries.name_things,
}


@pytest.mark.parametrize("name", ENTRIES)
def test_the_corpus(name: str) -> None:
    for sample in read_corpus(name):
        ENTRIES[name](sample)


@pytest.mark.parametrize("name", ENTRIES)
def test_changes_to_the_corpus(name: str) -> None:
    @FUZZED
    @given(change(read_corpus(name)))
    def check(data: bytes) -> None:
        ENTRIES[name](data)

    check()


def make_workbook() -> bytes:
    """Return a workbook with a little of everything."""
    book = build_list(
        [
            ["id", "email", "note"],
            [1, "ana@frei.de", "=A2*2"],
            ["02", "ANA@frei.de", None],
            [3, "bo@wegwerf.net", "x\ny"],
            [4, "no address", True],
        ]
    )
    sheet = book.active
    sheet.auto_filter.ref = "A1:C5"
    sheet.merge_cells("C4:C5")
    sheet["A2"].hyperlink = "https://evil.example/"
    book.create_sheet("Other").append(["=Data!B2", 5])
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


PARTS = read_zip(make_workbook())


@FUZZED
@given(st.data())
def test_changes_to_a_workbooks_parts(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(PARTS)), min_size=1, max_size=2))
    changed = {name: data.draw(change([PARTS[name]])) for name in names}
    entries.clean_parts(PARTS | changed)


@FUZZED
@given(change([make_workbook()]))
def test_changes_to_a_workbooks_bytes(data: bytes) -> None:
    entries.clean_workbook(data)
