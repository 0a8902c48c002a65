"""The registry of list formats, and what each of them owes."""

import pytest

from winnow.core.errors import UnsupportedFormat
from winnow.core.lists.file_format import FORMATS, NEW_FORMATS, FileFormat
from winnow.lists.format_registry import find_format
from winnow.lists.list_format import ListFormat

NOT_TEXT = [code for code in FORMATS if not code.traits.is_text]


@pytest.mark.parametrize("code", FORMATS)
def test_every_format_is_in_the_registry(code: FileFormat) -> None:
    assert find_format(code).code is code


@pytest.mark.parametrize("code", FORMATS)
@pytest.mark.parametrize("start", [b"%PDF-1.7", b"SQLite format 3\x00", b"\x89PNG\r\n\x1a\n"])
def test_no_format_takes_what_no_list_is(code: FileFormat, start: bytes) -> None:
    assert find_format(code).name_content(start) is not None


@pytest.mark.parametrize("code", NOT_TEXT)
def test_what_is_no_text_writes_its_own_files(code: FileFormat) -> None:
    kind = type(find_format(code))
    assert kind.rewrite is not ListFormat.rewrite
    assert (kind.export is not ListFormat.export) is (code in NEW_FORMATS)


def test_a_format_of_a_newer_version_is_said_so() -> None:
    with pytest.raises(UnsupportedFormat, match="does not know"):
        find_format(FileFormat("orc"))
