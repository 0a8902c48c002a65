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
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from backend.core.address import (
    FAST_ATOM,
    FAST_LOCAL_PART,
    LOCAL_PART_MAX_DOTS,
    LOCAL_PART_MAX_OCTETS,
    is_dot_atom,
    local_flags,
    normalise,
    parse_address,
)
from backend.core.errors import AddressSyntaxError
from backend.core.facts import LocalFlag
from backend.core.verdict import Reason
from backend.files.engine.domain_texts import DomainTexts
from backend.files.engine.memory import ARROW_POOL

BLANK_LINE, HEADER, FIRST_FAULT = 0, 1, 2
FAULTS = tuple(reason for reason in Reason if reason.value.startswith("invalid_"))
FAULT_CODES = {reason: FIRST_FAULT + place for place, reason in enumerate(FAULTS)}
FIRST_DOMAIN = FIRST_FAULT + len(FAULTS)

DOMAIN_TEXT_MAX_OCTETS = 64  # longer ones may make the whole address too long: parsed one by one

_AT, _DOT, _PLUS, _QUOTE = 64, 46, 43, 34
_PRINTABLE = re.compile(r"[ !#-~]+")
_NO_AT_SIGN = r"^[!#-9;=?A-~](?:[ !#-9;=?A-~]*[!#-9;=?A-~])?$"  # nor a quote, colon or bracket
_WHOLE_LOCAL_PART = f"^(?:{FAST_LOCAL_PART})$"
_FEW_DOTS = rf"^{FAST_ATOM}(?:\.{FAST_ATOM}){{0,{LOCAL_PART_MAX_DOTS}}}$"


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
    if not local_part:
        return Reason.NO_LOCAL_PART
    if len(text) > LOCAL_PART_MAX_OCTETS or not _PRINTABLE.fullmatch(local_part):
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
        self._roles = sorted(role_names)
        text = pl.col("text")
        self._seen = (
            text.str.contains(_FEW_DOTS).alias("has_few_dots"),
            text.is_in(self._roles).alias("is_role"),
            text.hash().alias("key"),
        )
        self._is_utf8 = is_utf8

    def read(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> AddressBlock:
        """Read one block's cells; ``starts`` and ``ends`` rise and bound them with their quotes."""
        count = len(starts)
        inner_starts, inner_ends = _strip_quotes(data, starts, ends)
        lowered, offsets = _gather_lowered(data, inner_starts, inner_ends)
        at_signs, is_settled = _find_at_signs(lowered, offsets)
        self._decline_unreadable(lowered, offsets, is_settled)
        local_parts, domains = _split(lowered, offsets, at_signs)
        domain_sizes = offsets[1:] - at_signs
        is_settled &= (at_signs - offsets[:-1]) <= LOCAL_PART_MAX_OCTETS
        is_settled &= (domain_sizes > 1) & (domain_sizes <= DOMAIN_TEXT_MAX_OCTETS)
        few_dots, roles, keys = local_parts.to_frame("text").select_seq(self._seen).get_columns()
        flags = roles.to_numpy() * np.uint8(LocalFlag.ROLE)
        others = np.flatnonzero(~few_dots.to_numpy())
        flags[others] |= np.uint8(LocalFlag.MANY_DOTS)  # right for well-formed local parts
        is_settled[others] &= local_parts.gather(others).str.contains(_WHOLE_LOCAL_PART).to_numpy()
        self._flag_tags(lowered, offsets, at_signs, local_parts, flags)
        block = AddressBlock(
            np.full(count, FAULT_CODES[Reason.EMPTY], np.uint32), flags, keys.to_numpy().copy()
        )
        if is_settled.all():
            block.codes[:] = self._domains.number_many(domains)
            return block
        block.codes[is_settled] = self._domains.number_many(domains.filter(pl.Series(is_settled)))
        block.flags[~is_settled] = 0
        open_rows = np.flatnonzero(~is_settled & (ends > starts))
        texts = local_parts.gather(open_rows)  # whole ones, where no at-sign parts them
        is_plain = texts.str.contains(_NO_AT_SIGN).to_numpy()
        is_plain &= at_signs[open_rows] == offsets[open_rows + 1]
        block.codes[open_rows[is_plain]] = FAULT_CODES[Reason.NO_AT_SIGN]
        open_rows = open_rows[~is_plain]
        self._parse_one_by_one(data, starts, ends, open_rows, block)
        return block

    def _decline_unreadable(
        self,
        lowered: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        is_settled: NDArray[np.bool_],
    ) -> None:
        """Decline cells with quotes or with bytes that are not text; blank out the latter."""
        is_odd = lowered == _QUOTE
        if (
            len(lowered)
            and lowered.max() >= 128
            and not (self._is_utf8 and _is_text(lowered, offsets))
        ):
            beyond_ascii = lowered >= 128
            is_odd |= beyond_ascii
            lowered[beyond_ascii] = 0
        if is_odd.any():
            is_settled[_rows_of(np.flatnonzero(is_odd), offsets)] = False

    def _flag_tags(
        self,
        lowered: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        at_signs: NDArray[np.int64],
        local_parts: pl.Series,
        flags: NDArray[np.uint8],
    ) -> None:
        """Add the flags of plus tags, and of roles before them."""
        pluses = np.flatnonzero(lowered == _PLUS)
        rows = _rows_of(pluses, offsets)
        is_first = np.diff(rows, prepend=-1) > 0
        pluses, rows = pluses[is_first], rows[is_first]
        is_tag = (pluses > offsets[rows]) & (pluses < at_signs[rows])
        pluses, rows = pluses[is_tag], rows[is_tag]
        if len(rows):
            bases = pl.DataFrame(
                {"text": local_parts.gather(rows), "size": pluses - offsets[rows]}
            ).select_seq(pl.col("text").str.slice(0, pl.col("size")).is_in(self._roles))
            flags[rows] |= np.uint8(LocalFlag.PLUS_TAG)
            flags[rows] |= bases.to_series().to_numpy() * np.uint8(LocalFlag.ROLE)

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


def lower_ascii(text: str) -> str:
    """Lower-case the ASCII letters only, as the array operations do."""
    return text.lower() if text.isascii() else text.encode().lower().decode()


def _strip_quotes(
    data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if not len(data):
        return starts, ends
    quoted = data.take(starts, mode="clip") == _QUOTE
    if not quoted.any():
        return starts, ends
    quoted &= (ends - starts >= 2) & (data[ends - 1] == _QUOTE)
    return starts + quoted, ends - quoted


def _gather_lowered(
    data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Copy the cells behind one another, ASCII lower-cased, and return where each starts."""
    bounds = np.empty(2 * len(starts) + 1, np.int64)
    bounds[0] = 0
    bounds[1::2] = starts
    bounds[2::2] = ends
    pieces = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), 2 * len(starts), [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    )
    cells = pc.take(
        pieces,
        pa.array(np.arange(1, 2 * len(starts), 2)),
        boundscheck=False,
        memory_pool=ARROW_POOL,
    )
    offsets = np.frombuffer(cells.buffers()[1], np.int64, len(starts) + 1)
    values = cells.buffers()[2]
    size = int(offsets[-1])
    text = np.frombuffer(values, np.uint8, size) if size else np.empty(0, np.uint8)
    return lower_bytes(text), offsets


def lower_bytes(text: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a copy with its ASCII letters in lower case."""
    lowered = text - np.uint8(65)
    np.less(lowered, np.uint8(26), out=lowered.view(np.bool_))  # in place: memory is the cost
    lowered <<= np.uint8(5)
    lowered |= text
    return lowered


def _find_at_signs(
    lowered: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return where each cell's only at-sign stands (else the cell's end), and where it is so."""
    at_signs = np.flatnonzero(lowered == _AT)
    starts, ends = offsets[:-1], offsets[1:]
    if len(at_signs) == len(starts) and bool(((at_signs >= starts) & (at_signs < ends)).all()):
        return at_signs, np.ones(len(starts), np.bool_)
    rows = _rows_of(at_signs, offsets)
    is_single = np.bincount(rows, minlength=len(starts)) == 1
    places = ends.copy()
    places[rows] = at_signs
    return np.where(is_single, places, ends), is_single


def _rows_of(places: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(offsets, places, side="right") - 1


def _split(
    lowered: NDArray[np.uint8], offsets: NDArray[np.int64], at_signs: NDArray[np.int64]
) -> tuple[pl.Series, pl.Series]:
    """Return what stands before the at-signs, and the rest from the at-sign on."""
    bounds = np.empty(2 * len(at_signs) + 1, np.int64)
    bounds[0::2] = offsets
    bounds[1::2] = at_signs
    pieces = pa.LargeStringArray.from_buffers(
        2 * len(at_signs), pa.py_buffer(bounds), pa.py_buffer(lowered)
    )
    halves = pl.Series("text", pl.from_arrow(pieces))
    return halves.gather_every(2, 0), halves.gather_every(2, 1)


def _is_text(lowered: NDArray[np.uint8], offsets: NDArray[np.int64]) -> bool:
    """Tell whether every single cell is UTF-8."""
    cells = pa.LargeStringArray.from_buffers(
        len(offsets) - 1, pa.py_buffer(np.ascontiguousarray(offsets)), pa.py_buffer(lowered)
    )
    try:
        cells.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
