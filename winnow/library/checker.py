"""Verdicts for single values and for Arrow columns, by the judge and the engine of the lists."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.addresses.address import duplicate_key
from winnow.core.addresses.mailbox import MAILBOX_DOMAINS, find_base
from winnow.core.addresses.repairs import CORRECTABLE, suggest_address
from winnow.core.judging.judge import Judge, judge_text
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import LocalFlag
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.library.check_text import CheckedAddress, explain
from winnow.library.repeated_values import ROWS_AT_ONCE, find_repeated, place_texts
from winnow.lists.engine.address_column import AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts, parse_spellings
from winnow.lists.engine.row_codes import FIRST_DOMAIN
from winnow.lists.engine.verdict_table import begin_seen, judge_domains, mark_seen
from winnow.lists.text.arrow_cells import spread_texts

REASON_JOINT = "; "  # as in the column ``reason`` of result files
_ROWS_SPREAD_AT_ONCE = 1 << 14  # all their numbers stay in the processor's second cache
_DOMAINS_REMEMBERED = 65_536
_PLAIN = (
    r"\A[ \t\r\n]*[!-~]*(?: +[!-~]+)*[ \t\r\n]*\z"  # ASCII whose outer blanks any trimming drops
)
_LED_BY_APOSTROPHE = r"\A[^!-&(-~]*'"  # well-formed as well, but added by Excel
FAULT_MARK = "\0"  # before the key of a value that is not an address, as in ``duplicate_key``
_TEXT = pa.large_string()

SCHEMA = pa.schema(
    [
        ("category", pa.dictionary(pa.int8(), _TEXT)),
        ("domain_type", pa.dictionary(pa.int8(), _TEXT)),
        ("reasons", pa.dictionary(pa.int16(), _TEXT)),
        ("suggestion", _TEXT),
        ("is_role", pa.bool_()),
        ("domain", pa.dictionary(pa.int32(), _TEXT)),
    ]
)
"""The columns of ``check``; a null value is null in all of them."""


@dataclass(frozen=True, slots=True)
class _ReadColumn:
    """A column taken apart.

    Codes are of ``domains``; ``keys`` are empty where no judge needs them; ``seen`` is from
    ``mark_seen``. ``led_by_apostrophe`` are rows.
    """

    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    domains: DomainTexts
    seen: NDArray[np.uint64]
    led_by_apostrophe: NDArray[np.int64]


class Checker:
    """Checks values with one judge. Thread-safe; stores no values."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @cached_property
    def _column(self) -> AddressColumn:
        decode = partial(bytes.decode, errors="surrogateescape")
        return AddressColumn(decode, self._judge.knowledge.local_words, is_utf8=True)

    def check_many(self, values: pa.ChunkedArray) -> list[CheckedAddress | None]:
        """Check a column of texts into one answer a value, None for null."""
        table = self.check_column(values)
        answers: list[CheckedAddress | None] = []
        for text, row in zip(values.to_pylist(), table.to_pylist(), strict=True):
            answers.append(None if text is None else self._answer(text, row))
        return answers

    def check_column(self, values: pa.ChunkedArray) -> pa.Table:
        """Check a column of large strings; the table has the columns of ``SCHEMA``."""
        require_threads()
        if self._judge.asks_network:  # first about the domains of most rows
            return self._check_rows(values)
        repeated = find_repeated(values)
        if repeated is None:
            return self._check_rows(values)
        return repeated.spread(self._check_rows(repeated.different))

    def _check_rows(self, values: pa.ChunkedArray) -> pa.Table:
        read = self._read(values)
        table = judge_domains(
            *(read.domains, read.seen, self._judge),
            count_codes=lambda count: np.bincount(read.codes, minlength=count),
        )
        verdicts = table.verdicts
        row_count = len(read.codes)
        categories = _Spread([one.category.value for one in verdicts], np.int8, row_count)
        types = _Spread([one.domain_type.value for one in verdicts], np.int8, row_count)
        reasons = _Spread([REASON_JOINT.join(one.reasons) for one in verdicts], np.int16, row_count)
        domains = read.codes.view(np.int32)  # in place, to save memory
        is_role = read.flags.view(np.bool_)
        reasons_beneath = (
            (*one.reasons, *(one.overruled.reasons if one.overruled else ())) for one in verdicts
        )
        is_open = [not CORRECTABLE.isdisjoint(one) for one in reasons_beneath]
        may_have_suggestion = np.array(is_open, np.bool_)
        open_rows = [read.led_by_apostrophe]
        has_nameless = False
        for start in range(0, row_count, _ROWS_SPREAD_AT_ONCE):
            some = slice(start, start + _ROWS_SPREAD_AT_ONCE)
            codes, flags = read.codes[some], read.flags[some]
            indices = table.find_indices(codes, flags, read.keys[some]).astype(np.intp)
            for spread in (categories, types, reasons):
                spread.fill(some, indices)
            named = table.name_codes.take(codes).view(np.int32)  # 0: the value is no address
            np.subtract(named, 1, out=domains[some])
            has_nameless |= not named.all()
            np.logical_and(flags & LocalFlag.ROLE, named != 0, out=is_role[some])
            open_rows.append(np.flatnonzero(may_have_suggestion.take(indices)) + start)
        texts = (one.to_arrow().cast(_TEXT) for one in table.names.in_series())
        names = pa.concat_arrays([pa.array([], _TEXT), *texts])
        is_null = values.is_null().to_numpy() if values.null_count else None
        columns = [
            categories.read(is_null),
            types.read(is_null),
            reasons.read(is_null),
            self._suggest_many(values, np.unique(np.concatenate(open_rows))),
            pa.array(is_role, mask=is_null),
            pa.DictionaryArray.from_arrays(
                pa.array(domains, mask=domains < 0 if has_nameless else None), names
            ),
        ]
        return pa.Table.from_arrays(columns, schema=SCHEMA)

    def key_column(self, values: pa.ChunkedArray, *, join_aliases: bool = False) -> pa.Array:
        """Return the text that duplicates share for each value, null for blank and null ones."""
        read = self._read(values)
        faults = parse_spellings(read.domains).faults
        keys = []
        done = 0
        for chunk in values.chunks:
            keys.append(_key_chunk(chunk, faults.take(read.codes[done : done + len(chunk)]) != 0))
            done += len(chunk)
        found = pa.chunked_array(keys, _TEXT).combine_chunks()
        return self._join_aliases(found) if join_aliases else found

    def _join_aliases(self, keys: pa.Array) -> pa.Array:
        """Return the key of the mailbox for each key of an address."""
        texts = keys.dictionary_encode()
        has_plus_tags = self._judge.knowledge.tag_domains.__contains__

        def find_mailbox(key: str) -> str:
            local_part, _, domain = key.rpartition("@")
            if key.startswith(FAULT_MARK):
                return key
            base = find_base(local_part, domain, has_plus_tags)
            return f"{base}@{MAILBOX_DOMAINS.get(domain, domain)}"

        found = pa.array(map(find_mailbox, texts.dictionary.to_pylist()), _TEXT)
        return spread_texts(found, texts.indices)

    def _read(self, values: pa.ChunkedArray) -> _ReadColumn:
        require_threads()
        domains = DomainTexts(FIRST_DOMAIN)
        codes = np.empty(len(values), np.uint32)
        flags = np.empty(len(values), np.uint8)
        keys = np.empty(len(values) if self._judge.needs_keys else 0, np.uint64)
        seen = begin_seen()
        led = [np.empty(0, np.int64)]
        done = 0
        for start in range(0, len(values), ROWS_AT_ONCE):
            some = values.slice(start, ROWS_AT_ONCE)
            cells = some.chunk(0) if some.num_chunks == 1 else pa.concat_arrays(some.chunks)
            cells = pc.fill_null(cells, "") if cells.null_count else cells
            block = self._column.read_texts(cells).number_domains(domains)
            end = done + len(cells)
            codes[done:end], flags[done:end] = block.codes, block.flags
            seen = mark_seen(seen, block.codes, block.flags)
            if len(keys):
                keys[done:end] = block.keys
            led.append(_find_led_by_apostrophe(cells, block.apostrophes) + done)
            done = end
        return _ReadColumn(codes, flags, keys, domains, seen, np.concatenate(led))

    def _suggest_many(self, values: pa.ChunkedArray, rows: NDArray[np.int64]) -> pa.ChunkedArray:
        """Return suggestions; only the values of ``rows`` are looked at, each once."""
        if not len(rows):
            return place_texts(pa.array([], _TEXT), rows, len(values))
        find_facts = lru_cache(maxsize=_DOMAINS_REMEMBERED)(self._judge.knowledge.look_up)
        texts = values.take(pa.array(rows)).combine_chunks().dictionary_encode()
        found = pa.array(
            [suggest_address(text, find_facts) for text in texts.dictionary.to_pylist()], _TEXT
        )
        return place_texts(spread_texts(found, texts.indices), rows, len(values))

    def _answer(self, text: str, row: Mapping[str, Any]) -> CheckedAddress:
        return CheckedAddress(
            category=Category(row["category"]),
            domain_type=DomainType(row["domain_type"]),
            reasons=tuple(map(Reason, row["reasons"].split(REASON_JOINT))),
            suggestion=row["suggestion"],
            is_role=row["is_role"],
            domain=row["domain"],
            _explain=lambda: explain(judge_text(self._judge, text)),
        )


def _find_led_by_apostrophe(cells: pa.Array, apostrophes: NDArray[np.int64]) -> NDArray[np.int64]:
    if not len(apostrophes):  # as in most
        return apostrophes
    rows = np.unique(apostrophes)
    texts = cells.take(pa.array(rows))
    is_led = pc.match_substring_regex(texts, _LED_BY_APOSTROPHE).to_numpy(zero_copy_only=False)
    found: NDArray[np.int64] = rows[is_led]
    return found


class _Spread:
    """A column with one of a few texts in each row, filled a stretch at a time."""

    def __init__(self, texts: Sequence[str], kind: type[np.integer], row_count: int) -> None:
        """Store the text of each index; ``kind`` holds the distinct ones' numbers."""
        self._distinct = list(dict.fromkeys(texts))
        self._numbers = np.array([self._distinct.index(text) for text in texts], kind)
        self._rows = np.empty(row_count, kind)

    def fill(self, some: slice, indices: NDArray[np.intp]) -> None:
        """Give some rows the texts at their indices."""
        self._numbers.take(indices, out=self._rows[some], mode="clip")  # others would be copied

    def read(self, is_null: NDArray[np.bool_] | None) -> pa.DictionaryArray:
        """Return the column."""
        numbers = pa.array(self._rows, mask=is_null)
        return pa.DictionaryArray.from_arrays(numbers, pa.array(self._distinct, _TEXT))


def _key_chunk(chunk: pa.Array, is_fault: NDArray[np.bool_]) -> pa.Array:
    """Return the keys of some values: those in ASCII at once, the others one distinct value each.

    Values that only Python trims are left to Python as well.
    """
    is_plain = pc.fill_null(pc.match_substring_regex(chunk, _PLAIN), True)
    lowered = pc.ascii_lower(pc.utf8_trim(chunk, " \t\r\n"))
    marked = pc.binary_join_element_wise(
        pa.scalar(FAULT_MARK, _TEXT), lowered, pa.scalar("", _TEXT)
    )
    keys = pc.if_else(pa.array(is_fault), marked, lowered)
    others = pc.filter(chunk, pc.invert(is_plain)).dictionary_encode()
    if len(others):
        mended = pa.array(map(duplicate_key, others.dictionary.to_pylist()), _TEXT)
        keys = pc.replace_with_mask(keys, pc.invert(is_plain), spread_texts(mended, others.indices))
    is_blank = pc.or_(pc.equal(keys, ""), pc.equal(keys, FAULT_MARK))
    return pc.if_else(is_blank, pa.scalar(None, _TEXT), keys)


def require_threads() -> None:
    """Note that this process works on columns or lists.

    In a forked child it would hang: Polars' threads are not there, and their locks stay taken.

    Raises:
        RuntimeError: A process that it was forked from did before.
    """
    if _name_first_process() != os.getpid():
        msg = (
            "this process was forked from one that had worked on a column or list, and would hang: "
            'start processes by "spawn" or "forkserver"'
        )
        raise RuntimeError(msg)


@cache
def _name_first_process() -> int:
    """Return the first process that called this, in it and in its forked children."""
    return os.getpid()
