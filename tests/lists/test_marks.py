"""Rows that the analyst's own files name: which they are, and what is said of them."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import clean, run_list, scratch_folder
from tests.lists.side_support import HASHES, NO_TAGS, names_address, read_side
from tests.tables import read_csv, write_csv
from winnow.core.addresses.address import duplicate_key, parse_address
from winnow.core.errors import AddressSyntaxError
from winnow.core.lists.dimensions import REASON
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.run_request import RunRequest
from winnow.core.verdicts.reasons import Reason
from winnow.lists.marks.key_files import (
    OwnKeys,
    find_named_rows,
    hash_all_rows,
    read_rows,
    write_rows,
)
from winnow.lists.marks.keyed_hash import AddressHash
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_index import RowIndex
from winnow.lists.result.row_view import RowView

LIST = (
    "id,email\n1,ana@frei.de\n2,bo@wegwerf.net\n3,ANA+x@frei.de\n"
    "4,nobody\n5,cy@sub.firma.de\n6,di@firma.de\n"
)
ADDRESSES = (
    "ana@frei.de", "bo@frei.de", "ana@sub.frei.de", "x@b\u00fcro.de", "y@a.b.firma.co.uk",
    "y@firma.co.uk", "first@named.example", "other@named.example",
)  # fmt: skip
ENTRIES = (  # what a line says, and what it means; nothing: it is left out
    ("ana@frei.de", "ana@frei.de"), ("  ANA@Frei.DE ", "ana@frei.de"), ("@frei.de", "frei.de"),
    ("frei.de", "frei.de"), ("*@frei.de", "frei.de"), ("*.frei.de", "*.frei.de"),
    ("B\u00dcRO.de", "b\u00fcro.de"), ("x@xn--bro-hoa.de", "x@b\u00fcro.de"),
    ("Ana <ana@frei.de>", "ana@frei.de"), ("mailto:bo@frei.de", "bo@frei.de"),
    ("bo@frei.de # asked in May", "bo@frei.de"), ("# ana@frei.de", "ana@frei.de#"),
    ("*.co.uk", ""), ("*.firma.co.uk", "*.firma.co.uk"), ("nobody", ""), ("foo bar", ""),
    ("ana@", ""), ("ana@localhost", ""), ("Ana@*", "ana@*"), ("y@* # x", "y@*"), ("*@*", ""),
    ("a*@*", ""),
)  # fmt: skip


ODD_CELLS = (
    "ana@firma.de", "ANA.B+x@Firma.de", '"a,b"@firma.de', '"a@b"@firma.de', '"ana"@firma.de',
    " ana@firma.de ", "\u00e4na@firma.de", "e\u0301@firma.de", "ana@b\u00fcro.de",
    "a" * 31 + "@firma.de", "a" * 32 + "@firma.de", "a" * 64 + "@firma.de", "a" * 65 + "@firma.de",
    "x\\y@firma.de", "x;y@firma.de", "\nana@firma.de", "Ana <ana@firma.de>", "nobody", "",
    "o'neil@firma.de",
)  # fmt: skip


@pytest.mark.parametrize(
    ("delimiter", "column", "line_end"), [(",", 0, "\n"), (";", 1, "\r\n"), ("\t", 2, "\n")]
)
def test_odd_cells_are_hashed_as_their_addresses_are(
    tmp_path: Path, delimiter: str, column: int, line_end: str
) -> None:
    """Beside cells with at-signs of their own."""
    cells = ODD_CELLS * 4
    rows = [["one", "two"], *([str(n), ("plain", "x@y", 'say "a@b"')[n % 3]] for n in range(80))]
    for row, cell in zip(rows, ("email", *cells), strict=True):
        row.insert(column, cell)
    plan = InputPlan(FileFormat.CSV, column, tuple(rows[0]), delimiter=delimiter)
    data = write_csv(rows, delimiter, lineterminator=line_end)
    run = run_list(data, plan, tmp_path, deduplicate=False)
    addresses = run.cells.find(hash_all_rows, HASHES, False, False).addresses
    codes = RowIndex.open(run.cells.folder).domain_codes(0, len(addresses))
    found = {row: int(addresses[row]) for row in np.flatnonzero(codes).tolist()}
    meant = {}
    for number, cell in enumerate(cells):
        with suppress(AddressSyntaxError):
            parse_address(cell)
            local_part, _, domain = duplicate_key(cell).rpartition("@")
            meant[number] = int(HASHES.hash_parts([local_part], [domain])[0])
    assert found == meant


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(ENTRIES), max_size=8),
    st.sampled_from(("\n", "\r\n")),
    st.sampled_from(("utf-8", "utf-8-sig", "utf-16")),
)
def test_a_file_names_what_its_lines_say(
    entries: list[tuple[str, str]], line_end: str, encoding: str
) -> None:
    """Against plain sets: an address, its domain, a wildcard above it, or its local part."""
    text = line_end.join(["first@named.example", *(entry for entry, _ in entries)]) + line_end
    meant = {"first@named.example", *(one for _, one in entries if one)}
    meant -= {"ana@frei.de#"}
    with scratch_folder() as folder:
        keys, counts = read_side(Path(folder), text.encode(encoding))
    assert len(keys) == len(meant)
    assert counts.left_out == sum(not one for text, one in entries if text[:1] not in "#")
    for address in ADDRESSES:
        local_part, _, domain = address.rpartition("@")
        above = {f"*.{domain.split('.', cut)[-1]}" for cut in range(1, domain.count(".") + 1)}
        is_meant = not meant.isdisjoint({address, domain, *above, f"{local_part}@*"})
        assert names_address(keys, duplicate_key(address)) is is_meant, address


def test_rows_are_found_by_address_and_by_domain(tmp_path: Path) -> None:
    cells = clean(LIST.encode(), tmp_path, deduplicate=False).cells
    keys, _ = read_side(tmp_path, "ANA@FREI.de\n*.firma.de\n@wegwerf.net\nnobody\n")
    other, _ = read_side(tmp_path, "firma.de\nana@frei.de\n")
    found = find_named_rows(cells, [keys, other], HASHES, NO_TAGS)
    assert [part.rows.tolist() for part in found] == [[0, 1, 4], [0, 5]]
    starred, _ = read_side(tmp_path, "DI@*\nana@*\nnobody@*\n")
    (of_star,) = find_named_rows(cells, [starred], HASHES, NO_TAGS)
    assert of_star.rows.tolist() == [0, 5]
    write_rows(found[0], tmp_path / "rows")
    assert read_rows(tmp_path / "rows").rows.tolist() == [0, 1, 4]
    content = (tmp_path / "rows").read_bytes()
    of_bounces_before_0_3 = content + bytes(4 * 3)  # the entries' places
    for broken in (b"", b"x", content[:-4], of_bounces_before_0_3):
        (tmp_path / "broken").write_bytes(broken)
        with pytest.raises(FileNotFoundError):
            read_rows(tmp_path / "broken")


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        *((one, [1]) for one in ("bo+x@frei.de", "bo@frei.de", "bo+y@frei.de", "bo+x@*")),
        *((one, [1]) for one in ("frei.de", "cy@firma.de", "firma.de")),
        *((one, []) for one in ("cy+x@firma.de", "cy@frei.de", "bo@firma.de")),
        *((one, [0]) for one in ("ana@x.example", "ana@*")),
    ],
)
def test_what_a_corrected_row_had_and_has_is_named(
    tmp_path: Path, line: str, rows: list[int]
) -> None:
    """By mailbox, domain and local part; only the former domain has plus tags."""
    options = RunRequest(repair=RepairChoice(singles={"bo+x@frei.de": "cy@firma.de"}))
    cells = clean(b"email\nana@x.example\nbo+x@frei.de\n", tmp_path, options=options).cells
    keys, _ = read_side(tmp_path, f"{line}\n")
    for has_tags in ({"frei.de"}.__contains__, NO_TAGS):
        (found,) = find_named_rows(cells, [keys], HASHES, has_tags)
        assert found.rows.tolist() == rows
        rows = [] if line in ("bo@frei.de", "bo+y@frei.de") else rows


@pytest.mark.parametrize(
    ("content", "bounces"),
    [
        ("ana@frei.de\n*.firma.de\nwegwerf.net\nana@frei.de\n", False),
        ("email,type,date\nana@frei.de,hard,2026-05-03\nbo+x@frei.de,soft,\n", True),
    ],
    ids=["named", "bounces"],
)
def test_kept_keys_come_back(tmp_path: Path, content: str, bounces: bool) -> None:
    keys, _ = read_side(tmp_path, content, "x.csv", bounces=bounces)
    keys.write(tmp_path / "keys", HASHES)
    again = OwnKeys.read(tmp_path / "keys", HASHES)
    for part in ("addresses", "domains", "wildcards", "events", "boxes"):
        assert getattr(keys, part).tolist() == getattr(again, part).tolist()
    content = (tmp_path / "keys").read_bytes()
    assert b"ana@" not in content
    for broken in (content[:-8], content[:-3], b"", content[:10], b"x" + content[1:]):
        (tmp_path / "broken").write_bytes(broken)
        with pytest.raises(FileNotFoundError):
            OwnKeys.read(tmp_path / "broken", HASHES)
    with pytest.raises(FileNotFoundError):
        OwnKeys.read(tmp_path / "keys", AddressHash.of(bytes(48)))
    with pytest.raises(FileNotFoundError):
        OwnKeys.read(tmp_path / "gone", HASHES)


def test_marks_stand_behind_the_verdict_and_change_no_cell(tmp_path: Path) -> None:
    run = clean(LIST.encode(), tmp_path, deduplicate=False)
    plain = run.rows
    matches = {
        Reason.DO_NOT_MAIL: [np.array([0, 1]), np.array([1, 5])],
        Reason.BOUNCED_HARD: [np.array([5])],
    }
    view = RowView.as_judged(RowIndex.open(run.folder)).add_matches(matches)
    rows = ResultRows(run.folder, run.plan, view)
    said = [tuple(row.verdict.reasons) for row in rows.page(RowFilter(), 0, 10).rows]
    before = [tuple(row.verdict.reasons) for row in plain.page(RowFilter(), 0, 10).rows]
    forbidden, bounced = (Reason.DO_NOT_MAIL,), (Reason.DO_NOT_MAIL, Reason.BOUNCED_HARD)
    added = [forbidden, forbidden, (), (), (), bounced]
    assert said == [(*old, *new) for old, new in zip(before, added, strict=True)]
    assert b"".join(rows.stream()) == run.result
    assert rows.find_added_cells(Export()) is None
    kept = read_csv(b"".join(rows.stream(Export(Variant.CLEANED))))
    removed = Export(Variant.REMOVED, DownloadChoice(adds_reason=True))
    gone = b"".join(rows.stream(removed)).decode()
    assert [row[0] for row in kept] == ["id", "3", "5"]
    assert "1,ana@frei.de,black,black,own_list_address; do_not_mail" in gone
    assert rows.facets(RowFilter())[REASON].find("do_not_mail") == 3
