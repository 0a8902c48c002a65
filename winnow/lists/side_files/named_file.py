"""The addresses and domains that a file names, as keyed hashes; their texts are not kept."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import (
    DOMAIN_MAX_OCTETS,
    FAST_DOMAIN,
    SPECIAL_USE_TLDS,
    duplicate_key,
    parse_address,
    to_a_label,
    unwrap,
)
from winnow.core.addresses.pasted import split_pasted
from winnow.core.addresses.repairs import find_repair
from winnow.core.errors import AddressSyntaxError, EmptyFile
from winnow.core.lists.side_files import FileNote, NamedCounts, NamedPatterns, NoteKind
from winnow.lists.engine.address_column import AddressBlock, AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts, NamesByCode
from winnow.lists.engine.row_codes import FIRST_DOMAIN, FIRST_FAULT
from winnow.lists.execution.run_files import create_file
from winnow.lists.marks.keyed_hash import AddressHash, Hashes
from winnow.lists.marks.named_keys import NamedKeys
from winnow.lists.side_files.columns import COMMENTS, NamingColumns, find_naming_columns
from winnow.lists.side_files.opening import SideFile
from winnow.lists.side_files.side_table import ColumnBlock, SideTable
from winnow.lists.text.gathered_cells import gather_cells
from winnow.lists.text.records import QUOTE, Positions

LINES_NAMED = 10
_LINES_LISTED = 100
_COMMENT = r"(?:\s#.*|\s//.*)$"
_COMMENTED = re.compile(_COMMENT)
_PLAIN_DOMAIN = rf"^(?:\*@|@)?({FAST_DOMAIN})\.?$"
_PLAIN_WILDCARD = rf"^(?:\*@|@)?\*\.({FAST_DOMAIN})\.?$"
_COMMENT_LINE = r"^(?:#|//|;)"
_MORE_THAN_A_DOMAIN = r"[\s,;<>()\[\]#\"]|\.\.|\.$"
_SPECIAL_USE = rf"\.(?:{'|'.join(sorted(SPECIAL_USE_TLDS))})$"
_STAR, _AT, _BLANK = b"*@ "
_FIRST_BEYOND_ASCII = 128
_SLOW_MAX = 4096  # characters of a cell that is taken apart; longer ones name nobody


@dataclass(frozen=True, slots=True)
class CellNames:
    """What one cell names, in the form of ``core.own_lists.patterns``."""

    addresses: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    wildcards: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it names nothing."""
        return not (self.addresses or self.domains or self.wildcards)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What the array operations left of one column of a block: addresses, and the other cells."""

    addresses: AddressBlock
    is_other: NDArray[np.bool_]
    texts: pl.Series


class _Spill:
    """Hashes on their way, in a passing file: ten million in memory would come twice."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = create_file(path)

    def add(self, hashes: Hashes) -> None:
        self._file.write(hashes.data)

    def close(self) -> None:
        self._file.close()

    def read(self) -> Hashes:
        self.close()
        return np.fromfile(self._path, np.uint64)


class _DomainHashes:
    """The distinct domain texts of a file, each parsed and hashed when it is met first."""

    def __init__(self, hashes: AddressHash) -> None:
        self._hashes = hashes
        self._by_code = np.zeros(FIRST_DOMAIN, np.uint64)
        self._is_usable = np.zeros(FIRST_DOMAIN, np.bool_)
        self.texts = DomainTexts(FIRST_DOMAIN)

    def look_up(self, codes: NDArray[np.uint32]) -> tuple[Hashes, NDArray[np.bool_]]:
        """Return the hash of each code's domain, and whether an address can have it."""
        known, count = len(self._by_code), FIRST_DOMAIN + len(self.texts)
        if count > known:
            new = NamesByCode(self.texts, np.arange(known, count, dtype=np.uint32))
            for names in new.in_series():
                domains = _parse_domains(names)
                self._by_code = np.append(self._by_code, self._hashes.hash_domains(domains))
                self._is_usable = np.append(self._is_usable, domains.is_not_null().to_numpy())
        return self._by_code[codes], self._is_usable[codes]


class _Intake:
    """What comes in of a file."""

    def __init__(self, hashes: AddressHash, scratch: Path) -> None:
        self.names = _DomainHashes(hashes)
        self.addresses = _Spill(scratch / "named.addresses")
        self.domains = _Spill(scratch / "named.domains")
        self.wildcards = _Spill(scratch / "named.wildcards")
        self.left_out = 0
        self.left_out_lines: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for spill in (self.addresses, self.domains, self.wildcards):
            spill.close()

    def leave_out(self, lines: Iterable[int]) -> None:
        """Count lines that name nothing, the first of which is 0."""
        for line in lines:
            self.left_out += 1
            if len(self.left_out_lines) < LINES_NAMED:
                self.left_out_lines.append(line + 1)

    def finish(self) -> NamedKeys:
        """Return all of it."""
        return NamedKeys.of(self.addresses.read(), self.domains.read(), self.wildcards.read())


def read_named(
    path: Path,
    name: str,
    hashes: AddressHash,
    is_public_suffix: Callable[[str], bool],
    scratch: Path,
) -> tuple[NamedKeys, NamedCounts]:
    """Read all that a file names.

    Args:
        path: The file; it is only read.
        name: As it came.
        hashes: Hides what was read.
        is_public_suffix: Tells of a domain whether anybody may register below; a wildcard over
            such a one is left out.
        scratch: An existing folder for passing files.

    Raises:
        UnsupportedFormat, BrokenFile: It cannot be read.
        EmptyFile: It names no address and no domain.
    """
    side = SideFile(path, name, scratch)
    notes: list[FileNote] = []
    with _Intake(hashes, scratch) as found:
        for table in side.read_tables():
            columns = find_naming_columns(table.rows)
            if not columns.places:
                notes.append(FileNote(NoteKind.NOTHING_IN, _hide(table.label)))
                continue
            notes += _tell_columns(table, columns)
            _gather(table, columns, hashes, is_public_suffix, found)
        keys = found.finish()
    if not len(keys):
        raise _refuse_nobody()
    return keys, NamedCounts(
        len(keys.addresses),
        len(keys.domains),
        len(keys.wildcards),
        found.left_out,
        tuple(found.left_out_lines),
        tuple(FileNote(note.kind, _hide(note.name)) for note in (*side.notes, *notes)),
    )


def list_patterns(
    path: Path,
    name: str,
    is_public_suffix: Callable[[str], bool],
    scratch: Path,
    *,
    most: int,
) -> NamedPatterns:
    """Return what a file names as texts, at most one more than ``most``.

    Header, comments and empty cells are no lines. Errors are ``read_named``'s.
    """
    found: list[tuple[int, str]] = []
    left_out: list[int] = []
    for table in SideFile(path, name, scratch).read_tables():
        columns = find_naming_columns(table.rows)
        for number, cells in table.read_texts(columns.places) if columns.places else ():
            if columns.header is not None and number <= columns.header + 1:
                continue
            for place, cell in enumerate(cells):
                if not cell.strip() or cell.lstrip().startswith(COMMENTS):
                    continue
                names = read_cell(cell, is_public_suffix)
                if names.is_empty and not place:
                    left_out.append(number)
                wildcards = (f"*.{domain}" for domain in names.wildcards)
                found += ((number, one) for one in (*names.addresses, *names.domains, *wildcards))
            if len(found) > most:
                return NamedPatterns(tuple(found[: most + 1]), 0, ())
    if not found and not left_out:
        raise _refuse_nobody()
    return NamedPatterns(tuple(found), len(left_out), tuple(left_out[:_LINES_LISTED]))


def read_cell(text: str, is_public_suffix: Callable[[str], bool]) -> CellNames:
    """Take one cell apart: addresses, domains, wildcards, with names beside them, or several.

    An address that is only written wrongly is the one that it would be repaired to, where no other
    can be meant.
    """
    if len(text) > _SLOW_MAX:
        return CellNames()
    addresses: list[str] = []
    domains: list[str] = []
    wildcards: list[str] = []
    text = _COMMENTED.sub("", text)
    for piece in split_pasted(text):
        value = (unwrap(piece) or piece).strip().strip("<>")
        bare = value.removeprefix("*@").removeprefix("@").removesuffix(".")
        if "@" in bare:
            addresses += _read_address(value)
            continue
        wild = bare.startswith("*.")
        domain = to_a_label(bare.removeprefix("*."))
        try:
            domain = parse_address(f"a@{domain}").domain
        except AddressSyntaxError:
            continue
        if not wild:
            domains.append(domain)
        elif not is_public_suffix(domain):
            wildcards.append(domain)
    if not (addresses or domains or wildcards):
        addresses += _read_address(text)
    return CellNames(tuple(addresses), tuple(domains), tuple(wildcards))


def _read_address(text: str) -> Iterator[str]:
    """Yield the key of the address that a text is, or safely means; nothing where there is none."""
    try:
        parse_address(text)
        yield duplicate_key(text)
    except AddressSyntaxError:
        repair = find_repair(text)
        if repair is not None and repair.kind.is_safe:
            yield duplicate_key(repair.new)


def _gather(
    table: SideTable,
    columns: NamingColumns,
    hashes: AddressHash,
    is_public_suffix: Callable[[str], bool],
    found: _Intake,
) -> None:
    done = 0
    header_lines = 0 if columns.header is None else columns.header + 1
    for stretches in table.work(columns.places, _take, hashes.local):
        lines = 0
        for place, stretch in enumerate(stretches):
            lines = len(stretch.addresses.codes)
            block = stretch.addresses.number_domains(found.names.texts)
            rows = np.flatnonzero((block.codes >= FIRST_DOMAIN) & ~stretch.is_other)
            of_domains, is_usable = found.names.look_up(block.codes[rows])
            local_parts = block.keys[rows[is_usable]]
            found.addresses.add(hashes.hash_addresses(local_parts, of_domains[is_usable]))
            if not place:
                found.leave_out((rows[~is_usable] + done).tolist())
            others = np.flatnonzero(stretch.is_other) + done
            is_entry = others >= header_lines
            _gather_others(
                stretch.texts.filter(pl.Series(is_entry)),
                others[is_entry],
                hashes,
                is_public_suffix,
                found,
                counts_left_out=place == 0,
            )
        done += lines


def _take(block: ColumnBlock, column: AddressColumn) -> list[_Stretch]:
    """Read a block's cells as addresses; what is none comes as text. Called by threads."""
    found = []
    for starts, ends in block.cells:
        addresses = column.read(block.data, starts, ends)
        is_other = (addresses.codes >= FIRST_FAULT) & (addresses.codes < FIRST_DOMAIN)
        for cells in addresses.domains:
            texts = cells.read(np.arange(len(cells.rows)))
            is_other[cells.rows[texts.str.contains(_MORE_THAN_A_DOMAIN).to_numpy()]] = True
        is_other |= _find_stars(block, starts)
        is_other &= ends > starts
        others = np.flatnonzero(is_other)
        found.append(_Stretch(addresses, is_other, _read_cells(block, starts, ends, others)))
    return found


def _find_stars(block: ColumnBlock, starts: Positions) -> NDArray[np.bool_]:
    """Tell which cells begin with ``*@``: they mean a domain, though addresses may so begin."""
    if not len(block.data):
        return np.zeros(len(starts), np.bool_)
    places = starts + (block.data.take(starts, mode="clip") == QUOTE)
    places = places + (block.data.take(places, mode="clip") == _BLANK)
    is_star: NDArray[np.bool_] = block.data.take(places, mode="clip") == _STAR
    is_star &= block.data.take(places + 1, mode="clip") == _AT
    return is_star


def _read_cells(
    block: ColumnBlock, starts: Positions, ends: Positions, rows: NDArray[np.int64]
) -> pl.Series:
    """Return some cells as texts in lower case."""
    if not len(rows):
        return pl.Series("text", [], pl.String)
    cells = gather_cells(block.data, starts[rows], ends[rows])
    if len(cells.lowered) and int(cells.lowered.max()) < _FIRST_BEYOND_ASCII:
        return cells.cut(cells.offsets[:-1], cells.offsets[1:], len(cells.lowered)).gather_every(2)
    raw = block.data.data
    bounds = zip(starts[rows].tolist(), ends[rows].tolist(), strict=True)
    texts = [block.decode(bytes(raw[start:end])) for start, end in bounds]
    return pl.Series("text", [text.encode("utf-8", "replace").decode().lower() for text in texts])


def _gather_others(
    texts: pl.Series,
    lines: NDArray[np.int64],
    hashes: AddressHash,
    is_public_suffix: Callable[[str], bool],
    found: _Intake,
    *,
    counts_left_out: bool,
) -> None:
    """Take in the cells that are no plain address; most are a domain, or nothing."""
    texts = texts.str.replace(_COMMENT, "").str.strip_chars()
    is_filled = (texts.str.len_bytes() > 0) & ~texts.str.contains(_COMMENT_LINE)
    texts, lines = texts.filter(is_filled), lines[is_filled.to_numpy()]
    domains = _keep_domains(texts.str.extract(_PLAIN_DOMAIN))
    wildcards = _keep_domains(texts.str.extract(_PLAIN_WILDCARD))
    found.domains.add(hashes.hash_domains(domains.drop_nulls()))
    open_wildcards = wildcards.drop_nulls().unique().to_list()
    kept = [domain for domain in open_wildcards if not is_public_suffix(domain)]
    found.wildcards.add(hashes.hash_domains(kept))
    is_open = (domains.is_null() & wildcards.is_null()).to_numpy()
    refused = set(open_wildcards).difference(kept)
    if refused:
        is_open |= wildcards.is_in(list(refused)).fill_null(value=False).to_numpy()
    named: dict[str, CellNames] = {}
    for text, line in zip(
        texts.filter(pl.Series(is_open)).to_list(), lines[is_open].tolist(), strict=True
    ):
        cell = named.get(text)
        if cell is None:
            cell = named[text] = read_cell(text, is_public_suffix)
        if cell.is_empty and counts_left_out:
            found.leave_out((line,))
    cells = named.values()
    keys = [key.rpartition("@") for cell in cells for key in cell.addresses]
    if keys:
        local_parts = hashes.local.hash_texts(pl.Series([local for local, _, _ in keys]))
        of_domains = hashes.hash_domains([domain for _, _, domain in keys])
        found.addresses.add(hashes.hash_addresses(local_parts, of_domains))
    found.domains.add(hashes.hash_domains([one for cell in cells for one in cell.domains]))
    found.wildcards.add(hashes.hash_domains([one for cell in cells for one in cell.wildcards]))


def _keep_domains(names: pl.Series) -> pl.Series:
    """Put nothing in the place of names that no address can have."""
    is_usable = names.str.len_bytes() <= DOMAIN_MAX_OCTETS
    is_usable &= ~names.str.contains(_SPECIAL_USE)
    return names.set(~is_usable.fill_null(value=False), None)


def _parse_domains(texts: pl.Series) -> pl.Series:
    """Return domains in A-label form, nothing for what no address can have."""
    is_plain = texts.str.contains(f"^{FAST_DOMAIN}$") & (texts.str.len_bytes() <= DOMAIN_MAX_OCTETS)
    is_plain &= ~texts.str.contains(_SPECIAL_USE)
    odd = np.flatnonzero(~is_plain.to_numpy())
    if not len(odd):
        return texts
    parsed: list[str | None] = []
    for text in texts.gather(odd).to_list():
        try:
            parsed.append(parse_address(f"a@{text}").domain)
        except AddressSyntaxError:
            parsed.append(None)
    return texts.scatter(odd, pl.Series(parsed, dtype=pl.String))


def _tell_columns(table: SideTable, columns: NamingColumns) -> Iterator[FileNote]:
    """Name the columns that were read of a table that has others."""
    if columns.header is None or table.is_one_column:
        return
    for place in columns.places:
        name = table.rows[columns.header][place : place + 1]
        if name and name[0].strip():
            yield FileNote(NoteKind.COLUMN, name[0].strip()[:60])


def _refuse_nobody() -> EmptyFile:
    return EmptyFile(
        "The file names no address and no domain.",
        hint="Put one address or one domain on each line, or a column of them.",
    )


def _hide(name: str) -> str:
    """Return a name to be kept: one with an address in it says nothing."""
    return "" if "@" in name else name
