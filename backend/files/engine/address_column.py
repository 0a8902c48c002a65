"""A column of cells as addresses: what each row needs for its verdict and its duplicates.

Most cells are settled by array operations: one at-sign, a dot-atom before it, and the domain's text
as an entry of one growing table, parsed later, once per domain. Whatever that declines is parsed
one distinct value at a time, by ``parse_address``.

A row's code says what stands in its email cell:

    0                 no row: a blank line
    1                 no row: the header
    2 …               malformed, one code per Reason (FAULTS)
    FIRST_DOMAIN …    the domain's text, by its place in the table
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from backend.core.address import (
    ADDRESS_MAX_OCTETS,
    FAST_DOMAIN,
    FAST_LOCAL_PART,
    LOCAL_PART_MAX_OCTETS,
    SPECIAL_USE_TLDS,
    is_dot_atom,
    local_flags,
    normalise,
    parse_address,
)
from backend.core.errors import AddressSyntaxError
from backend.core.facts import LocalFlag
from backend.core.verdict import Reason
from backend.files.engine.address_marks import PLUS, find_first_pluses, find_marks
from backend.files.engine.domain_texts import DomainTexts
from backend.files.engine.gathered_cells import GatheredCells, gather_cells
from backend.files.engine.records import QUOTE
from backend.files.engine.texts_by_hash import TextsByHash

BLANK_LINE, HEADER, FIRST_FAULT = 0, 1, 2
FAULTS = tuple(reason for reason in Reason if reason.value.startswith("invalid_"))
FAULT_CODES = {reason: FIRST_FAULT + place for place, reason in enumerate(FAULTS)}
FIRST_DOMAIN = FIRST_FAULT + len(FAULTS)

DOMAIN_TEXT_MAX_OCTETS = 64  # longer ones may make the whole address too long: parsed one by one
_A_LABEL_GROWTH = 6  # more than an A-label's octets for one of its text: U+337F has 18 for 4

_PRINTABLE = re.compile(r"[ !#-~]+")
_AT_DOMAIN = re.compile("@" + FAST_DOMAIN)
_PLAIN_TEXT = r"^[!#-9;=?A-~](?:[ !#-9;=?A-~]*[!#-9;=?A-~])?$"  # no @, quote, colon or bracket
_WHOLE_LOCAL_PART = f"^(?:{FAST_LOCAL_PART})$"


@dataclass(frozen=True, slots=True)
class AddressBlock:
    """One entry a row. ``keys`` hash the lower-cased local part (malformed: the whole text)."""

    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class ParsedValue:
    """One value's code, or the text of its domain; its flags; the text that its key hashes."""

    fault_code: int
    domain_text: str
    flags: LocalFlag
    key_text: str


def parse_value(text: str, role_names: frozenset[str]) -> ParsedValue:
    """Take one value apart as the array operations do, whatever it looks like."""
    text = normalise(text)
    local_part, at_sign, domain_text = text.partition("@")
    if (
        at_sign
        and len(domain_text.encode("utf-8", "surrogatepass")) < DOMAIN_TEXT_MAX_OCTETS
        and "@" not in domain_text
        and '"' not in domain_text
        and is_dot_atom(local_part)
        and len(local_part.encode()) <= LOCAL_PART_MAX_OCTETS
        and not _has_surrogates(domain_text)
        and _stays_short(local_part, domain_text)
    ):
        flags = local_flags(local_part, role_names)
        return ParsedValue(0, domain_text, flags, local_part.lower())
    fault = _find_frequent_fault(text, local_part, at_sign, domain_text)
    if fault is not None:
        return ParsedValue(FAULT_CODES[fault], "", LocalFlag.NONE, text.lower())
    try:
        address = parse_address(text)
    except AddressSyntaxError as error:
        return ParsedValue(FAULT_CODES[error.reason], "", LocalFlag.NONE, text.lower())
    flags = local_flags(address.local_part, role_names)
    return ParsedValue(0, address.domain, flags, address.local_part.lower())


def _find_frequent_fault(
    text: str, local_part: str, at_sign: str, domain_text: str
) -> Reason | None:
    """Name the faults that lists are full of, as ``parse_address`` does but at a tenth of the cost.

    None leaves the decision to it.
    """
    if "<" in text or ":" in text or "@" in domain_text:
        return None
    if not at_sign:
        return Reason.NO_AT_SIGN if text else Reason.EMPTY
    if len(text) > LOCAL_PART_MAX_OCTETS or not domain_text.isascii():
        return None
    if not local_part:
        return Reason.NO_LOCAL_PART
    if not _PRINTABLE.fullmatch(local_part) or is_dot_atom(local_part):
        return None
    try:
        parse_address(f"a@{domain_text}")
    except AddressSyntaxError as error:
        return error.reason
    return Reason.LOCAL_PART_SYNTAX  # printable ASCII without quotes, and no dot-atom


def hash_texts(texts: list[str]) -> NDArray[np.uint64]:
    """Hash as ``AddressColumn`` hashes local parts; stable within one run."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return pl.Series(encoded, dtype=pl.Binary).hash().to_numpy()


class AddressColumn:
    """Reads cells as addresses, block by block, from several threads."""

    def __init__(
        self,
        domains: DomainTexts,
        decode_cell: Callable[[bytes], str],
        role_names: frozenset[str],
        *,
        is_utf8: bool,
    ) -> None:
        self._domains = domains
        self._decode_cell = decode_cell
        self._role_names = role_names
        self._roles = TextsByHash(role_names)
        self._is_utf8 = is_utf8

    def read(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> AddressBlock:
        """Read one block's cells; ``starts`` and ``ends`` rise and bound them with their quotes."""
        cells = gather_cells(data, starts, ends)
        marks = find_marks(cells)
        at_signs, is_settled = marks.at_signs, marks.is_single
        odd_rows = cells.find_rows(marks.odd_places)
        self._decline_unreadable(cells, marks.odd_places, odd_rows, is_settled)
        halves = cells.halve(at_signs)
        hashes = halves.hash().to_numpy()
        keys = hashes[0::2].copy()
        local_sizes = at_signs - cells.offsets[:-1]
        domain_sizes = cells.offsets[1:] - at_signs
        is_settled &= (local_sizes > 0) & (local_sizes <= LOCAL_PART_MAX_OCTETS)
        is_settled &= (domain_sizes > 1) & (domain_sizes <= DOMAIN_TEXT_MAX_OCTETS)
        others = _drop_repeated(odd_rows[cells.lowered.take(marks.odd_places) != PLUS])
        is_settled[others] &= halves.gather(2 * others).str.contains(_WHOLE_LOCAL_PART).to_numpy()
        octets = local_sizes[others] + _A_LABEL_GROWTH * domain_sizes[others]
        is_settled[others] &= octets <= ADDRESS_MAX_OCTETS
        flags = np.zeros(len(starts), np.uint8)
        flags[marks.dotted_rows] = LocalFlag.MANY_DOTS
        flags[self._roles.find(keys)] |= np.uint8(LocalFlag.ROLE)
        tagged, pluses = find_first_pluses(cells, marks, odd_rows)
        flags[tagged] |= np.uint8(LocalFlag.PLUS_TAG)
        flags[tagged[self._find_tagged_roles(cells, tagged, pluses)]] |= np.uint8(LocalFlag.ROLE)
        block = AddressBlock(
            np.full(len(starts), FAULT_CODES[Reason.EMPTY], np.uint32), flags, keys
        )
        if is_settled.all():
            block.codes[:] = self._domains.number_many(
                hashes[1::2].copy(), lambda rows: halves.gather(2 * rows + 1)
            )
            return block
        settled = np.flatnonzero(is_settled)
        block.codes[settled] = self._domains.number_many(
            hashes[1::2].take(settled), lambda places: halves.gather(2 * settled[places] + 1)
        )
        block.flags[~is_settled] = 0
        open_rows = np.flatnonzero(~is_settled & (ends > starts))
        is_found = self._find_frequent_faults(cells, at_signs, open_rows, halves, block)
        self._parse_one_by_one(data, starts, ends, open_rows[~is_found], block)
        return block

    def _decline_unreadable(
        self,
        cells: GatheredCells,
        odd_places: NDArray[np.int64],
        rows: NDArray[np.int64],
        is_settled: NDArray[np.bool_],
    ) -> None:
        """Decline cells with quotes or with bytes that are not text; blank out the latter."""
        odd = cells.lowered.take(odd_places)
        is_declined = odd == QUOTE
        if len(odd) and odd.max() >= 128:
            beyond_ascii = odd >= 128
            if not (self._is_utf8 and cells.are_utf8(_drop_repeated(rows[beyond_ascii]))):
                is_declined |= beyond_ascii
                cells.lowered[odd_places[beyond_ascii]] = 0
        is_settled[rows[is_declined]] = False

    def _find_tagged_roles(
        self, cells: GatheredCells, rows: NDArray[np.int64], pluses: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the places in ``rows`` of roles before a plus tag."""
        bases = cells.cut(cells.offsets[rows], pluses, len(cells.lowered))
        return self._roles.find(bases.hash().to_numpy()[0::2])

    def _find_frequent_faults(
        self,
        cells: GatheredCells,
        at_signs: NDArray[np.int64],
        rows: NDArray[np.int64],
        halves: pl.Series,
        block: AddressBlock,
    ) -> NDArray[np.bool_]:
        """Name the faults that lists are full of, as ``parse_value`` does; tell whose they were.

        No at-sign; or one with nothing before it, or with something in ASCII before it that is no
        dot-atom, where the domain is beyond doubt.
        """
        ends = cells.offsets[rows + 1]
        has_at_sign = at_signs[rows] < ends
        texts = halves.gather(2 * rows)
        is_plain = texts.str.contains(_PLAIN_TEXT).to_numpy()
        block.codes[rows[is_plain & ~has_at_sign]] = FAULT_CODES[Reason.NO_AT_SIGN]
        is_empty = texts.str.len_bytes().to_numpy() == 0
        doubtful = np.flatnonzero(
            has_at_sign
            & (is_plain | is_empty)
            & (ends - cells.offsets[rows] <= LOCAL_PART_MAX_OCTETS)
        )
        names = halves.gather(2 * rows[doubtful] + 1)
        found = doubtful[np.fromiter(map(_is_beyond_doubt, names.to_list()), np.bool_)]
        at_fault = rows[found]
        block.codes[at_fault] = np.where(
            is_empty[found],
            FAULT_CODES[Reason.NO_LOCAL_PART],
            FAULT_CODES[Reason.LOCAL_PART_SYNTAX],
        )
        whole = halves.gather(2 * at_fault) + halves.gather(2 * at_fault + 1)
        block.keys[at_fault] = whole.hash().to_numpy()
        is_found = is_plain & ~has_at_sign
        is_found[found] = True
        return is_found

    def _parse_one_by_one(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        rows: NDArray[np.int64],
        block: AddressBlock,
    ) -> None:
        raw = data.data
        places: dict[bytes, int] = {}
        row_places = np.empty(len(rows), np.int64)
        bounds = zip(starts[rows].tolist(), ends[rows].tolist(), strict=True)
        for index, (start, end) in enumerate(bounds):
            row_places[index] = places.setdefault(bytes(raw[start:end]), len(places))
        values = [parse_value(self._decode_cell(cell), self._role_names) for cell in places]
        codes = np.array([value.fault_code for value in values], np.uint32)
        is_domain = codes == 0
        texts = ["@" + lower_ascii(value.domain_text) for value in values if not value.fault_code]
        codes[is_domain] = self._domains.number(pl.Series(texts, dtype=pl.String))
        block.codes[rows] = codes[row_places]
        block.flags[rows] = np.array([value.flags for value in values], np.uint8)[row_places]
        block.keys[rows] = hash_texts([value.key_text for value in values])[row_places]


def _is_beyond_doubt(text: str) -> bool:
    """Tell whether a lower-cased domain of at most 64 octets, with its at-sign, is well-formed."""
    return (
        _AT_DOMAIN.fullmatch(text) is not None and text.rpartition(".")[2] not in SPECIAL_USE_TLDS
    )


def _drop_repeated(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return rows[np.diff(rows, prepend=-1) > 0]


def lower_ascii(text: str) -> str:
    """Lower-case the ASCII letters only, as the array operations do."""
    return text.lower() if text.isascii() else text.encode().lower().decode()


def _stays_short(local_part: str, domain_text: str) -> bool:
    """Tell whether no A-label can make an address too long."""
    octets = len(local_part.encode()) + _A_LABEL_GROWTH * (len(domain_text.encode()) + 1)
    return domain_text.isascii() or octets <= ADDRESS_MAX_OCTETS


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
