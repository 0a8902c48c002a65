"""The table of list formats."""

from winnow.core.lists.file_format import CONTRACT_FORMATS, FORMATS, TRAITS, FileFormat


def test_every_format_has_traits() -> None:
    assert set(TRAITS) == set(FileFormat)
    assert all(one.traits.name and "/" in one.traits.media_type for one in FileFormat)


def test_a_code_of_a_newer_version_is_unknown_and_no_upload_has_it() -> None:
    assert FileFormat("orc") is FileFormat.UNKNOWN
    assert FileFormat.UNKNOWN not in FORMATS


def test_the_api_keeps_the_formats_of_its_contract() -> None:
    assert CONTRACT_FORMATS == (FileFormat.CSV, FileFormat.TSV, FileFormat.XLSX)
