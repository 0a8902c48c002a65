"""Email column parser: for each row what its verdict and the search for duplicates need.

Most cells are settled by array operations: one at-sign, a dot-atom before it, and the domain's text
as an entry of one growing table (``DomainTexts``), parsed later, once per domain. Whatever that
declines is parsed one distinct value at a time, by ``parse_address``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.addresses.address import (
    ADDRESS_MAX_OCTETS,
    FAST_DOMAIN,
    FAST_LOCAL_PART,
    LOCAL_PART_MAX_OCTETS,
    LONE_PARTS,
    NAMES,
    SPECIAL_USE_ENDING,
    SPECIAL_USE_TLDS,
    to_a_label,
)
from winnow.core.addresses.mailbox import find_base, ignores_dots
from winnow.core.addresses.repairs import SPELT_AT_SIGN
from winnow.core.verdicts.facts import LocalFlag, LocalWords
from winnow.core.verdicts.reasons import Reason
from winnow.lists.engine.address_marks import PLUS, AddressMarks, find_first_pluses, find_marks
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.hash_numbers import TextsByHash
from winnow.lists.engine.parsed_value import (
    A_LABEL_GROWTH,
    DOMAIN_TEXT_MAX_OCTETS,
    ParsedValue,
    hash_texts,
    lower_ascii,
    parse_value,
)
from winnow.lists.engine.repairer import NO_REPAIRS, RepairedCells, Repairer
from winnow.lists.engine.row_codes import FAULT_CODES
from winnow.lists.text.arrow_cells import read_buffers
from winnow.lists.text.gathered_cells import GatheredCells, adopt_texts, gather_cells
from winnow.lists.text.records import QUOTE

_AT_DOMAIN = re.compile("@" + FAST_DOMAIN)
_PLAIN_TEXT = r"^[!#-9;=?A-~](?:[ !#-9;=?A-~]*[!#-9;=?A-~])?$"  # no @, quote, colon or bracket
_NAMES, _LONE_PARTS = f"^(?:{NAMES})$", f"^(?:{LONE_PARTS})$"
_WHOLE_LOCAL_PART = f"^(?:{FAST_LOCAL_PART})$"
_PLAIN_DOMAIN = f"^@{FAST_DOMAIN}$"
_APOSTROPHE = ord("'")
_PLUS_TAG = r"^([^+]+)\+.*$"
_TAGS, _NO_DOTS = 1, 2  # what makes no difference at a domain; 0: the whole local part counts
_GROWN_BY_NFC = (0xCD, 0xE0, 0xE2, 0xEF, 0xF0)  # first bytes of letters that NFC makes longer
_NFC_GROWTH = 3  # at most so many times (Unicode Standard Annex 15, table 6)


@dataclass(frozen=True, slots=True)
class DomainCells:
    """Domain texts of some of a block's rows, at-sign in front; ``read`` gives those of indices."""

    rows: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    read: Callable[[NDArray[np.int64]], pl.Series]


@dataclass(frozen=True, slots=True)
class AddressBlock:
    """One entry a row. ``keys`` hash the lower-cased local part (malformed: the whole text).

    Rows with a domain have no code before ``number_domains``. Those in ``repaired`` are read as
    the addresses in these rows. ``apostrophes`` are the rows with one, once for each. ``boxes``
    are keys of the local part that names the mailbox; None where aliases are not joined.
    """

    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    domains: tuple[DomainCells, ...]
    apostrophes: NDArray[np.int64]
    repaired: RepairedCells = NO_REPAIRS
    boxes: NDArray[np.uint64] | None = None

    def number_domains(self, domains: DomainTexts) -> "AddressBlock":
        """Give rows their domains' codes; called for block after block in the list's order.

        Raises:
            InputError: The list names too many domains.
        """
        for cells in self.domains:
            codes = domains.number_many(cells.hashes, cells.read)
            if len(codes) == len(self.codes):  # of all rows, in their order
                self.codes[:] = codes
            else:
                self.codes[cells.rows] = codes
        return self


_INDEXED: dict[int, tuple[LocalWords, TextsByHash, NDArray[np.uint8]]] = {}


def _index_words(words: LocalWords) -> tuple[TextsByHash, NDArray[np.uint8]]:
    """Return the index of the words and their flags, kept for the next column: 48,000 words."""
    kept = _INDEXED.get(id(words))
    if kept is None or len(words) != len(kept[2]):
        flags = np.fromiter(words.values(), np.uint8, len(words))
        kept = words, TextsByHash(words), flags
        _INDEXED.clear()
        _INDEXED[id(words)] = kept  # has the words as well, so that no others get their id
    return kept[1], kept[2]


class AddressColumn:
    """Reads cells as addresses, block by block; blocks do not depend on one another."""

    def __init__(
        self,
        decode_cell: Callable[[bytes], str],
        local_words: LocalWords,
        *,
        is_utf8: bool,
        repairer: Repairer | None = None,
        tag_domains: frozenset[str] | None = None,
    ) -> None:
        """Remember how cells are read.

        Args:
            decode_cell: Gives the text of one whose bytes are not plain.
            local_words: Flags of whole local parts.
            is_utf8: Whether the cells are in UTF-8.
            repairer: Repairs what is plainly mistyped before it is read; None: nothing is.
            tag_domains: With plus tags, to join aliases; None: they are not joined.
        """
        self._decode_cell = decode_cell
        self._local_words = local_words
        self._words, self._word_flags = _index_words(local_words)
        self._is_utf8 = is_utf8
        self._repairer = repairer
        self._tag_domains = tag_domains
        if tag_domains is not None:
            self._tagging = TextsByHash(f"@{name}" for name in tag_domains)
            self._tag_rules = np.array([*map(self._find_tag_rule, tag_domains)], np.uint8)

    def read(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        is_blank: NDArray[np.bool_] | None = None,
    ) -> AddressBlock:
        """Read one block's cells.

        Args:
            data: The block.
            starts: Where each cell begins, its quotes included; rising.
            ends: Where each ends.
            is_blank: Which lines are no rows, whatever they hold; None: all are rows.
        """
        return self._read(gather_cells(data, starts, ends), data, (starts, ends), is_blank)

    def read_texts(self, texts: pa.Array) -> AddressBlock:
        """Read texts without quotes: large strings or binaries, none of them null.

        ``decode_cell`` then must not take quotes for any around a cell.
        """
        data, starts, ends = read_buffers(texts)
        return self._read(adopt_texts(texts), data, (starts, ends), None)

    def _read(
        self,
        cells: GatheredCells,
        data: NDArray[np.uint8],
        bounds: tuple[NDArray[np.int64], NDArray[np.int64]],
        is_blank: NDArray[np.bool_] | None,
    ) -> AddressBlock:
        """Read the cells at these bounds of the data, as they were written."""
        starts, ends = bounds
        marks = find_marks(cells)
        at_signs, is_settled = marks.at_signs, marks.is_single
        local_sizes = at_signs - cells.offsets[:-1]
        domain_sizes = cells.offsets[1:] - at_signs
        sizes = local_sizes, domain_sizes
        self._decline_unreadable(cells, marks, sizes, is_settled)
        halves = cells.cut(cells.offsets[:-1], at_signs, int(cells.offsets[-1]))
        hashes = halves.hash().to_numpy()
        keys = hashes[0::2].copy()
        is_settled &= _are_within(local_sizes, 1, LOCAL_PART_MAX_OCTETS)
        is_settled &= _are_within(domain_sizes, 2, DOMAIN_TEXT_MAX_OCTETS)
        others = _drop_repeated(marks.odd_rows[marks.odd_bytes != PLUS])
        is_atom = _match(halves, 2 * others, _WHOLE_LOCAL_PART)
        is_settled[others] &= is_atom
        flags = np.zeros(len(starts), np.uint8)
        dotted = marks.dotted_rows
        flags[dotted[~_match(halves, 2 * dotted, _NAMES)]] = LocalFlag.MANY_DOTS
        lone = dotted[_match(halves, 2 * dotted, _LONE_PARTS)]
        flags[lone] = LocalFlag.MANY_DOTS | LocalFlag.LONE_PARTS
        self._flag_words(flags, keys)
        base_hashes = hashes[:0]
        tagged, pluses = find_first_pluses(cells, marks)
        flags[tagged] |= np.uint8(LocalFlag.PLUS_TAG)
        if len(tagged):
            bases = cells.cut(cells.offsets[tagged], pluses, len(cells.lowered))
            base_hashes = bases.hash().to_numpy()[0::2]
            self._flag_words(flags, base_hashes, tagged)
        is_row = np.True_ if is_blank is None else ~is_blank
        is_settled &= is_row
        if self._repairer is not None:
            self._decline_doubtful(cells, halves, hashes, self._repairer, is_settled)
        settled = np.flatnonzero(is_settled)
        codes = np.zeros(len(starts), np.uint32)
        apostrophes = marks.odd_rows[marks.odd_bytes == _APOSTROPHE]

        def read(some: NDArray[np.int64]) -> pl.Series:
            return halves.gather(2 * settled[some] + 1)

        if len(settled) == len(starts):
            domains = DomainCells(settled, hashes[1::2], read)
            boxes = self._key_mailboxes(halves, hashes, keys, (tagged, base_hashes), is_settled)
            return AddressBlock(codes, flags, keys, (domains,), apostrophes, boxes=boxes)
        domains = DomainCells(settled, hashes[1::2].take(settled), read)
        flags[~is_settled] = 0
        codes[~is_settled & is_row] = FAULT_CODES[Reason.EMPTY]
        open_rows = np.flatnonzero(~is_settled & is_row & (ends > starts))
        is_found = self._find_frequent_faults(cells, at_signs, open_rows, halves, codes, keys)
        columns = codes, flags, keys
        open_rows = open_rows[~is_found]
        rest, repaired, base_keys = self._parse_one_by_one(data, bounds, open_rows, columns)
        boxes = self._key_mailboxes(halves, hashes, keys, (tagged, base_hashes), is_settled)
        if boxes is not None:
            boxes[open_rows] = base_keys
        return AddressBlock(codes, flags, keys, (domains, rest), apostrophes, repaired, boxes)

    def _key_mailboxes(
        self,
        halves: pl.Series,
        hashes: NDArray[np.uint64],
        keys: NDArray[np.uint64],
        tagged: tuple[NDArray[np.int64], NDArray[np.uint64]],
        is_settled: NDArray[np.bool_],
    ) -> NDArray[np.uint64] | None:
        """Return all keys, those of settled rows by ``find_base``; None: none are compared.

        ``tagged`` are the rows with a tag, and the hashes of what is before it. Only their domains
        are spelled, where these are no plain ones.
        """
        if self._tag_domains is None:
            return None
        boxes, rules = keys.copy(), np.zeros(len(keys), np.uint8)
        members, places = self._tagging.find_members(hashes[1::2])
        rules[members] = self._tag_rules[places]
        rows, bases = tagged
        odd = rows[rules[rows] == 0]
        odd = odd[~_match(halves, 2 * odd + 1, _PLAIN_DOMAIN)]
        names = halves.gather(2 * odd + 1).to_list()
        rules[odd] = [self._find_tag_rule(to_a_label(name[1:])) for name in names]
        rules[~is_settled] = 0
        has_base = rules[rows] == _TAGS
        boxes[rows[has_base]] = bases[has_base]
        dotted = np.flatnonzero(rules == _NO_DOTS)
        texts = halves.gather(2 * dotted).str.replace(_PLUS_TAG, "${1}")
        boxes[dotted] = texts.str.replace_all(".", "", literal=True).hash().to_numpy()
        return boxes

    def _find_tag_rule(self, domain: str | None) -> int:
        if self._tag_domains is None or domain not in self._tag_domains:
            return 0
        return _NO_DOTS if ignores_dots(domain) else _TAGS

    def _decline_doubtful(
        self,
        cells: GatheredCells,
        halves: pl.Series,
        hashes: NDArray[np.uint64],
        repairer: Repairer,
        is_settled: NDArray[np.bool_],
    ) -> None:
        """Decline what may be repaired: an apostrophe in front, any domain but a plain one.

        And those domains that another takes the place of.
        """
        rows = np.flatnonzero(is_settled)
        first = cells.lowered.take(cells.offsets[rows])
        is_settled[rows[first == _APOSTROPHE]] = False
        _, firsts, indices = np.unique(hashes[2 * rows + 1], return_index=True, return_inverse=True)
        names = halves.gather(2 * rows[firsts] + 1)
        is_plain = names.str.contains(_PLAIN_DOMAIN) & ~names.str.contains(SPECIAL_USE_ENDING)
        is_open = ~is_plain.to_numpy()
        is_open[repairer.domains.find_members(hashes[2 * rows[firsts] + 1])[0]] = True
        is_settled[rows[is_open[indices]]] = False

    def _decline_unreadable(
        self,
        cells: GatheredCells,
        marks: AddressMarks,
        sizes: tuple[NDArray[np.int64], NDArray[np.int64]],
        is_settled: NDArray[np.bool_],
    ) -> None:
        """Decline cells with quotes or bytes that are not text, and blank the latter out.

        And those whose domain may make them too long once it is an A-label. ``sizes`` are a cell's
        octets before its at-sign, and from there on.
        """
        odd, rows = marks.odd_bytes, marks.odd_rows
        is_declined = odd == QUOTE
        if len(odd) and odd.max() >= 128:
            beyond_ascii = odd >= 128
            grows = A_LABEL_GROWTH * np.where(np.isin(odd, _GROWN_BY_NFC), _NFC_GROWTH, 1)
            octets = sizes[0].take(rows) + grows * sizes[1].take(rows)
            is_declined |= beyond_ascii & (octets > ADDRESS_MAX_OCTETS)
            if not (self._is_utf8 and cells.are_utf8(_drop_repeated(rows[beyond_ascii]))):
                is_declined |= beyond_ascii
                cells.lowered[marks.odd_places[beyond_ascii]] = 0
        is_settled[rows[is_declined]] = False

    def _flag_words(
        self,
        flags: NDArray[np.uint8],
        hashes: NDArray[np.uint64],
        rows: NDArray[np.int64] | None = None,
    ) -> None:
        """Add the flags of whole local parts by their hashes; ``rows`` are theirs, None for all."""
        indices, words = self._words.find_members(hashes)
        flags[indices if rows is None else rows[indices]] |= self._word_flags[words]

    def _find_frequent_faults(
        self,
        cells: GatheredCells,
        at_signs: NDArray[np.int64],
        rows: NDArray[np.int64],
        halves: pl.Series,
        codes: NDArray[np.uint32],
        keys: NDArray[np.uint64],
    ) -> NDArray[np.bool_]:
        """Name the faults that lists are full of, as ``parse_value`` does; return whose they were.

        No at-sign; or one with nothing before it, or with something in ASCII before it that is no
        dot-atom, where the domain is beyond doubt.
        """
        ends = cells.offsets[rows + 1]
        has_at_sign = at_signs[rows] < ends
        texts = halves.gather(2 * rows)
        is_plain = texts.str.contains(_PLAIN_TEXT).to_numpy()
        is_found = is_plain & ~has_at_sign
        if self._repairer is not None:
            is_found &= ~texts.str.contains(SPELT_AT_SIGN).to_numpy()
        codes[rows[is_found]] = FAULT_CODES[Reason.NO_AT_SIGN]
        is_empty = texts.str.len_bytes().to_numpy() == 0
        doubtful = np.flatnonzero(
            has_at_sign
            & (is_plain | is_empty)
            & (self._repairer is None)
            & (ends - cells.offsets[rows] <= LOCAL_PART_MAX_OCTETS)
        )
        names = halves.gather(2 * rows[doubtful] + 1)
        is_well_formed = (
            _AT_DOMAIN.fullmatch(name) is not None
            and name.rpartition(".")[2] not in SPECIAL_USE_TLDS
            for name in names.to_list()
        )
        found = doubtful[np.fromiter(is_well_formed, np.bool_)]
        at_fault = rows[found]
        codes[at_fault] = np.where(
            is_empty[found],
            FAULT_CODES[Reason.NO_LOCAL_PART],
            FAULT_CODES[Reason.LOCAL_PART_SYNTAX],
        )
        whole = halves.gather(2 * at_fault) + halves.gather(2 * at_fault + 1)
        keys[at_fault] = whole.hash().to_numpy()
        is_found[found] = True
        return is_found

    def _parse_one_by_one(
        self,
        data: NDArray[np.uint8],
        bounds: tuple[NDArray[np.int64], NDArray[np.int64]],
        rows: NDArray[np.int64],
        columns: tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint64]],
    ) -> tuple[DomainCells, RepairedCells, NDArray[np.uint64]]:
        """Fill the rows' codes, flags and keys.

        Return the domains of those with one, what was repaired, and the keys of mailboxes.
        """
        raw = data.data
        indices: dict[bytes, int] = {}
        row_indices = np.empty(len(rows), np.int64)
        starts, ends = (some[rows].tolist() for some in bounds)
        for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
            row_indices[index] = indices.setdefault(bytes(raw[start:end]), len(indices))
        cells = [self._decode_cell(cell) for cell in indices]
        repaired = NO_REPAIRS
        if self._repairer is not None:
            repaired = self._repairer.repair(rows, row_indices, cells)
        values = [parse_value(text, self._local_words) for text in cells]
        codes, flags, keys = columns
        codes[rows] = np.array([value.fault_code for value in values], np.uint32)[row_indices]
        flags[rows] = np.array([value.flags for value in values], np.uint8)[row_indices]
        keys[rows] = hash_texts([value.key_text for value in values])[row_indices]
        texts = pl.Series(
            ["@" + lower_ascii(value.domain_text) for value in values], dtype=pl.String
        )
        named, all_indices = np.flatnonzero(codes[rows] == 0), row_indices
        row_indices = row_indices[named]
        hashes = texts.hash().to_numpy()[row_indices]
        found = DomainCells(rows[named], hashes, lambda some: texts.gather(row_indices[some]))
        return found, repaired, self._key_bases(values)[all_indices]

    def _key_bases(self, values: list[ParsedValue]) -> NDArray[np.uint64]:
        texts = [value.key_text for value in values]
        if self._tag_domains is not None:
            for place, value in enumerate(values):
                domain = None if value.fault_code else to_a_label(value.domain_text)
                if domain is not None:
                    texts[place] = find_base(value.key_text, domain, self._tag_domains.__contains__)
        return hash_texts(texts)


def _match(texts: pl.Series, indices: NDArray[np.int64], pattern: str) -> NDArray[np.bool_]:
    """Return which texts match; no call of Polars for none, which would take time."""
    if not len(indices):
        return np.empty(0, np.bool_)
    return texts.gather(indices).str.contains(pattern).to_numpy()


def _are_within(sizes: NDArray[np.int64], least: int, most: int) -> NDArray[np.bool_]:
    """Return which sizes are within bounds; as unsigned numbers, those below are far above."""
    found: NDArray[np.bool_] = (sizes - least).view(np.uint64) <= np.uint64(most - least)
    return found


def _drop_repeated(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return rows[np.diff(rows, prepend=-1) > 0]
