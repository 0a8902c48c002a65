"""Reader for do-not-mail files (keyed hashes, texts are not kept) and own-list files (patterns)."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import polars as pl

from winnow.core.addresses.address import (
    ADDRESS_MAX_OCTETS,
    DOMAIN_MAX_OCTETS,
    FAST_DOMAIN,
    FAST_LOCAL_PART,
    LOCAL_PART_MAX_OCTETS,
    SPECIAL_USE_ENDING,
    duplicate_key,
    find_address,
    unwrap,
)
from winnow.core.addresses.pasted import split_pasted
from winnow.core.addresses.repairs import find_repair
from winnow.core.errors import EmptyFile
from winnow.core.lists.side_files import (
    FileCounts,
    FileNote,
    NamedEntries,
    NamedEntry,
    NoteKind,
)
from winnow.core.own_lists.patterns import ANY_DOMAIN, ANY_NAME, WILDCARD_MARK
from winnow.core.unicode_forms import spell_plainly
from winnow.lists.marks.key_files import OwnKeys
from winnow.lists.marks.keyed_hash import AddressHash, split_addresses
from winnow.lists.side_files.columns import (
    COMMENTS,
    NamingColumns,
    find_naming_columns,
    names_local_part,
    read_domain,
)
from winnow.lists.side_files.tables import SideTable, hide_addresses, open_tables, read_parts

LINES_NAMED = 10
_LINES_LISTED = 100
_COMMENTED = re.compile(r"(?:\s#.*|\s//.*)$")
_NO_ENTRY = r"^(?:#|//|;|$)"
_PLAIN_ADDRESS = rf"^(?P<local>{FAST_LOCAL_PART})@(?P<domain>{FAST_DOMAIN})$"
_SLOW_MAX = 4096  # characters of a cell that is taken apart; longer ones name no one


def _hash_cells(
    texts: pl.Series, hashes: AddressHash, is_public_suffix: Callable[[str], bool]
) -> tuple[OwnKeys, pl.Series]:
    """Return what a column's cells name, and which of the cells should and do not."""
    texts = texts.str.to_lowercase().str.strip_chars()
    address = texts.str.extract_groups(_PLAIN_ADDRESS).struct.unnest()
    local_part, domain = address["local"], address["domain"]
    is_plain = (
        (domain.str.len_bytes() <= DOMAIN_MAX_OCTETS)
        & ~domain.str.contains(SPECIAL_USE_ENDING)
        & (local_part != "*")
        & (local_part.str.len_bytes() <= LOCAL_PART_MAX_OCTETS)
        & (texts.str.len_bytes() <= ADDRESS_MAX_OCTETS)
    ).fill_null(value=False)
    is_odd = ~is_plain & ~texts.str.contains(_NO_ENTRY)
    distinct = texts.filter(is_odd).unique().to_list()  # taken apart one by one
    cells = [read_cell(text, is_public_suffix) for text in distinct]
    patterns = [one for cell in cells for one in cell]
    starred = [one.removesuffix(ANY_DOMAIN) for one in patterns if one.endswith(ANY_DOMAIN)]
    keys = [one for one in patterns if "@" in one and not one.endswith(ANY_DOMAIN)]
    names = [one for one in patterns if "@" not in one]
    odd = split_addresses(pl.Series(keys, dtype=pl.String))
    plain = local_part.filter(is_plain), domain.filter(is_plain)
    parts = [
        pl.concat([one.alias("part") for one in some]) for some in zip(plain, odd, strict=True)
    ]
    boxes = hashes.hash_boxes(*parts)
    domains = [one for one in names if not one.startswith(WILDCARD_MARK)]
    above = [one[2:] for one in names if one.startswith(WILDCARD_MARK)]
    of_locals = hashes.hash_local_parts(pl.Series(starred, dtype=pl.String))
    wildcards = np.concatenate([hashes.hash_domains(above), of_locals])
    found = OwnKeys(
        hashes.hash_parts(*parts), hashes.hash_domains(domains), wildcards, boxes=boxes[boxes > 0]
    )
    nothing = [text for text, cell in zip(distinct, cells, strict=True) if not cell]
    return found, is_odd & texts.is_in(nothing)


def read_named(
    path: Path,
    name: str,
    hashes: AddressHash,
    is_public_suffix: Callable[[str], bool],
    scratch: Path,
) -> tuple[OwnKeys, FileCounts]:
    """Read all that a file names.

    Args:
        path: The file; it is only read.
        name: As it came.
        hashes: Hides what was read.
        is_public_suffix: Returns whether anyone may register below a domain; a wildcard over
            such a one is left out.
        scratch: An existing folder for temporary files.

    Raises:
        UnsupportedFormat, BrokenFile: It cannot be read.
        EmptyFile: It names no address and no domain.
    """
    notes: list[FileNote] = []
    parts, left_out, left_out_lines = [OwnKeys(np.empty(0, np.uint64))], 0, list[int]()
    for table, columns in _open_naming(path, name, scratch, notes):
        notes += _detect_columns(table, columns)
        for lines, cells in table.read_columns(columns.indices, columns.header):
            for place, texts in enumerate(cells):
                found, is_left_out = _hash_cells(texts, hashes, is_public_suffix)
                parts.append(found)
                if place == 0:
                    left_out += int(np.count_nonzero(is_left_out))
                    named = lines[is_left_out.to_numpy()][: LINES_NAMED - len(left_out_lines)]
                    left_out_lines += named.tolist()
    keys = OwnKeys.unite(parts)
    if not len(keys):
        raise _refuse_nobody()
    return keys, FileCounts(
        len(keys.addresses),
        len(keys.domains),
        len(keys.wildcards),
        left_out=left_out,
        left_out_lines=tuple(left_out_lines),
        notes=hide_addresses(notes),
    )


def _open_naming(
    path: Path, name: str, scratch: Path, notes: list[FileNote]
) -> Iterator[tuple[SideTable, NamingColumns]]:
    """Yield the tables of a file that name anyone, with the columns that do; note the others."""
    for part in read_parts(path, name, scratch, notes):
        with closing(open_tables(part, scratch)) as tables:
            for table in tables:
                columns = find_naming_columns(table.rows)
                if columns.indices:
                    yield table, columns
                else:
                    notes.append(FileNote(NoteKind.NOTHING_IN, table.label))


def list_entries(
    path: Path,
    name: str,
    is_public_suffix: Callable[[str], bool],
    scratch: Path,
    *,
    most: int,
) -> NamedEntries:
    """Return what a file names as texts, some more than ``most`` where there are more.

    A table with the columns pattern and category, as of an export of own lists, is returned as it
    is. Header, comments and empty cells are no rows. Errors are ``read_named``'s.
    """
    found: list[NamedEntry] = []
    left_out: list[int] = []
    for table, columns in _open_naming(path, name, scratch, []):
        names = list(map(spell_plainly, table.rows[columns.header or 0]))
        if {"pattern", "category"} <= set(names):
            names += ["note"]  # beyond the last where there is none
            indices = [names.index(one) for one in ("pattern", "category", "note")]
            for lines, texts in table.read_columns(indices, columns.header):
                rows = zip(lines.tolist(), *texts, strict=True)
                found += (NamedEntry(*row) for row in rows if any(map(str.strip, row[1:])))
            continue
        for lines, texts in table.read_columns(columns.indices, columns.header):
            for line, *cells in zip(lines.tolist(), *texts, strict=True):
                for place, cell in enumerate(cells):
                    if not cell.strip() or cell.lstrip().startswith(COMMENTS):
                        continue
                    patterns = read_cell(cell.lower(), is_public_suffix)
                    if not patterns and not place:
                        left_out.append(line)
                    found += (NamedEntry(line, one) for one in patterns)
        if len(found) > most:
            break
    if not found and not left_out:
        raise _refuse_nobody()
    return NamedEntries(tuple(found), len(left_out), tuple(left_out[:_LINES_LISTED]))


def read_cell(text: str, is_public_suffix: Callable[[str], bool]) -> list[str]:
    """Return the patterns in a cell, as of own lists (``core.own_lists.patterns``).

    People's names around addresses are left out. A mistyped address is read as its repair, if that
    is a safe one.
    """
    if len(text) > _SLOW_MAX:
        return []
    found: list[str] = []
    text = _COMMENTED.sub("", text)
    for piece in split_pasted(text):
        value = (unwrap(piece) or piece).strip().strip("<>")
        pattern = read_domain(value)
        if names_local_part(value):
            named = _read_address(value.removesuffix("*") + ANY_NAME)
            found += [one.removesuffix(ANY_NAME) + "*" for one in named]
        elif pattern is None:
            found += _read_address(value) if "@" in value else ()
        elif not is_public_suffix(pattern.removeprefix(WILDCARD_MARK)) or "*" not in pattern:
            found.append(pattern)
    return found or _read_address(text)


def _read_address(text: str) -> list[str]:
    """Return the key of the address that a text is, or safely means; none where there is none."""
    if find_address(text) is not None:
        return [duplicate_key(text)]
    repair = find_repair(text)
    return [duplicate_key(repair.new)] if repair is not None and repair.kind.is_safe else []


def _detect_columns(table: SideTable, columns: NamingColumns) -> Iterator[FileNote]:
    """Name the columns that were read of a table that has others."""
    if columns.header is None or max(map(len, table.rows)) < 2:
        return
    for place in columns.indices:
        name = table.rows[columns.header][place : place + 1]
        if name and name[0].strip():
            yield FileNote(NoteKind.COLUMN, name[0].strip()[:60])


def _refuse_nobody() -> EmptyFile:
    return EmptyFile(
        "The file names no address and no domain.",
        hint="Put one address or one domain on each line, or a column of them.",
    )
