"""The registry of list formats, and what each of them owes."""

import pytest

from winnow.core.errors import UnsupportedFormat
from winnow.core.lists.file_format import FileFormat
from winnow.lists.format_registry import find_format


def test_a_format_of_a_newer_version_is_said_so() -> None:
    with pytest.raises(UnsupportedFormat, match="does not know"):
        find_format(FileFormat("orc"))
