"""The registry of list formats, and what each of them owes."""

import pytest

from winnow.core.errors import UnsupportedFormat
from winnow.core.lists.file_format import FORMATS, FileFormat
from winnow.lists.format_registry import find_format


@pytest.mark.parametrize("code", FORMATS)
@pytest.mark.parametrize("start", [b"%PDF-1.7", b"SQLite format 3\x00", b"\x89PNG\r\n\x1a\n"])
def test_no_format_takes_what_no_list_is(code: FileFormat, start: bytes) -> None:
    assert find_format(code).name_content(start) is not None


def test_a_format_of_a_newer_version_is_said_so() -> None:
    with pytest.raises(UnsupportedFormat, match="does not know"):
        find_format(FileFormat("orc"))
