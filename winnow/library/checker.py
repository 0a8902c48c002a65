"""Verdicts for single values and for Arrow columns, by the judge and the engine of the lists."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.addresses.address import duplicate_key, local_flags
from winnow.core.addresses.repairs import CORRECTABLE, suggest_address
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.evidence import collect_evidence
from winnow.core.verdicts.facts import Evidence, LocalFlag
from winnow.core.verdicts.judge import Judge, Judgement, judge_text
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.library.checked_address import CheckedAddress
from winnow.lists.engine.address_column import AddressColumn
from winnow.lists.engine.domain_spellings import parse_spellings
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.row_codes import FIRST_DOMAIN
from winnow.lists.engine.verdict_table import VerdictTable, judge_domains, mark_seen, number_exact
from winnow.lists.text.arrow_cells import quote, read_buffers
from winnow.lists.text.cell_text import decode_cell

REASON_JOINT = "; "  # as in the column ``reason`` of result files
_ROWS_AT_ONCE = 1 << 18
_DOMAINS_REMEMBERED = 65_536
_PLAIN = (
    r"\A[ \t\r\n]*[!-~]*(?: +[!-~]+)*[ \t\r\n]*\z"  # ASCII whose outer blanks any trimming drops
)
_LED_BY_APOSTROPHE = r"\A[^!-&(-~]*'"  # well-formed as well, and Excel's rather than the address's
_APOSTROPHE = ord("'")
FAULT_MARK = "\0"  # before the key of a value that is no address, as ``duplicate_key`` has it
_BYTES, _TEXT = pa.large_binary(), pa.large_string()
_CODES = pa.dictionary(pa.int32(), _TEXT)

SCHEMA = pa.schema(
    [
        ("category", _CODES),
        ("domain_type", _CODES),
        ("reasons", _CODES),
        ("suggestion", _TEXT),
        ("is_role", pa.bool_()),
        ("domain", _CODES),
    ]
)
"""The columns of ``check``; a null value is null in all of them."""


@dataclass(frozen=True, slots=True)
class _ReadColumn:
    """A column taken apart.

    Codes are of ``domains``; ``keys`` are empty where no judge asks for them; ``seen`` is from
    ``mark_seen``.
    """

    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    domains: DomainTexts
    seen: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Judged:
    """A column taken apart and judged: for each row its code, its flags, its verdict's place."""

    table: VerdictTable
    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    places: NDArray[np.uint16]


class Checker:
    """Checks values with one judge. Thread-safe; keeps nothing of what it has seen."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @property
    def data_version(self) -> str:
        """The version of the domain data judged with."""
        return self._judge.data_version

    def check(self, text: str) -> CheckedAddress:
        """Check one value."""
        judge = self._judge
        judged = judge_text(judge, text)
        address, verdict = judged.address, judged.verdict
        flags = LocalFlag.NONE
        if address is not None:
            flags = local_flags(address.local_part, judge.role_names)
        return CheckedAddress(
            category=verdict.category,
            domain_type=verdict.domain_type,
            reasons=verdict.reasons,
            suggestion=suggest_address(text, judge.known),
            is_role=bool(flags & LocalFlag.ROLE),
            domain=None if address is None else address.domain,
            _explain=partial(_explain, judged),
        )

    def check_many(self, values: pa.ChunkedArray) -> list[CheckedAddress | None]:
        """Check a column of texts into one answer a value, None for null."""
        table = self.check_column(values)
        answers: list[CheckedAddress | None] = []
        for text, row in zip(values.to_pylist(), table.to_pylist(), strict=True):
            answers.append(None if text is None else self._answer(text, row))
        return answers

    def check_column(self, values: pa.ChunkedArray) -> pa.Table:
        """Check a column of large strings; the table has the columns of ``SCHEMA``."""
        judged = self._judge_column(values)
        verdicts = judged.table.verdicts
        suggestions = self._suggest_many(values, judged)
        is_null = _find_nulls(values)
        names = judged.table.name_codes.take(judged.codes)  # 0: the value is no address
        columns = [
            _spread(judged.places, [verdict.category.value for verdict in verdicts], is_null),
            _spread(judged.places, [verdict.domain_type.value for verdict in verdicts], is_null),
            _spread(
                judged.places,
                [REASON_JOINT.join(verdict.reasons) for verdict in verdicts],
                is_null,
            ),
            suggestions,
            pa.array((judged.flags & LocalFlag.ROLE != 0) & (names > 0), mask=is_null),
            _name_domains(judged.table, names, is_null),
        ]
        return pa.Table.from_arrays(columns, schema=SCHEMA)

    def key_column(self, values: pa.ChunkedArray) -> pa.Array:
        """Return for each value the text that duplicates share, null for blank and null ones."""
        read = self._read(values)
        faults = parse_spellings(read.domains, _ignore).faults
        keys = []
        done = 0
        for chunk in values.chunks:
            keys.append(_key_chunk(chunk, faults.take(read.codes[done : done + len(chunk)]) != 0))
            done += len(chunk)
        return pa.chunked_array(keys, _TEXT).combine_chunks()

    def _judge_column(self, values: pa.ChunkedArray) -> _Judged:
        read = self._read(values)
        codes, flags, keys = read.codes, read.flags, read.keys
        exact_codes = number_exact(read.domains, self._judge)
        table = judge_domains(
            parse_spellings(read.domains, _ignore),
            exact_codes,
            read.seen,
            self._judge,
            _ignore,
            count_codes=lambda count: np.bincount(codes, minlength=count),
        )
        places = np.empty(len(codes), np.uint16)
        for start in range(0, len(codes), _ROWS_AT_ONCE):  # what is in the processor's caches
            some = slice(start, start + _ROWS_AT_ONCE)
            places[some] = table.find_places(codes[some], flags[some], keys[some])
        return _Judged(table, codes, flags, places)

    def _read(self, values: pa.ChunkedArray) -> _ReadColumn:
        domains = DomainTexts(FIRST_DOMAIN)
        column = AddressColumn(
            partial(decode_cell, codec="utf-8"), self._judge.role_names, is_utf8=True
        )
        codes = np.empty(len(values), np.uint32)
        flags = np.empty(len(values), np.uint8)
        keys = np.empty(len(values) if self._judge.exact else 0, np.uint64)
        seen = np.zeros(1, np.uint8)
        done = 0
        for cells in _iterate_cells(values):
            block = column.read(*read_buffers(quote(cells))).number_domains(domains)
            end = done + len(cells)
            codes[done:end], flags[done:end] = block.codes, block.flags
            seen = mark_seen(seen, block.codes, block.flags)
            if len(keys):
                keys[done:end] = block.keys
            done = end
        return _ReadColumn(codes, flags, keys, domains, seen)

    def _suggest_many(self, values: pa.ChunkedArray, judged: _Judged) -> pa.Array:
        """Return suggestions; only values that may have one are looked at, each once."""
        may_have = np.array([_may_have_suggestion(one) for one in judged.table.verdicts], np.bool_)
        is_open = may_have.take(judged.places)
        is_open |= _find_led_by_apostrophe(values)
        rows = np.flatnonzero(is_open)
        if not len(rows):
            return pa.nulls(len(values), _TEXT)
        find_facts = lru_cache(maxsize=_DOMAINS_REMEMBERED)(self._judge.known)
        texts = values.take(pa.array(rows)).combine_chunks().dictionary_encode()
        found = pa.array(
            [suggest_address(text, find_facts) for text in texts.dictionary.to_pylist()], _TEXT
        )
        at = np.full(len(values), -1, np.int64)
        at[rows] = np.arange(len(rows))
        return found.take(texts.indices).take(pa.array(at, mask=at < 0))

    def _answer(self, text: str, row: Mapping[str, Any]) -> CheckedAddress:
        return CheckedAddress(
            category=Category(row["category"]),
            domain_type=DomainType(row["domain_type"]),
            reasons=tuple(map(Reason, row["reasons"].split(REASON_JOINT))),
            suggestion=row["suggestion"],
            is_role=row["is_role"],
            domain=row["domain"],
            _explain=lambda: _explain(judge_text(self._judge, text)),
        )


def _explain(judged: Judgement) -> tuple[Evidence, ...]:
    return collect_evidence(judged.verdict, judged.facts, judged.own_entry)


def _may_have_suggestion(verdict: Verdict) -> bool:
    beneath = () if verdict.overruled is None else verdict.overruled.reasons
    return any(reason in CORRECTABLE for reason in (*verdict.reasons, *beneath))


def _iterate_cells(values: pa.ChunkedArray) -> Iterator[pa.Array]:
    """Yield the values a stretch at a time as bytes without nulls."""
    for chunk in values.chunks:
        for start in range(0, len(chunk), _ROWS_AT_ONCE):
            yield pc.fill_null(chunk.slice(start, _ROWS_AT_ONCE), "").cast(_BYTES)


def _find_led_by_apostrophe(values: pa.ChunkedArray) -> NDArray[np.bool_]:
    found = np.zeros(len(values), np.bool_)
    done = 0
    for cells in _iterate_cells(values):
        data, starts, ends = read_buffers(cells)
        if len(cells) and (data[starts[0] : ends[-1]] == _APOSTROPHE).any():  # in few columns
            texts = cells.cast(_TEXT)
            found[done : done + len(cells)] = pc.match_substring_regex(texts, _LED_BY_APOSTROPHE)
        done += len(cells)
    return found


def _find_nulls(values: pa.ChunkedArray) -> NDArray[np.bool_] | None:
    if not values.null_count:
        return None
    found: NDArray[np.bool_] = values.is_null().to_numpy()
    return found


def _spread(
    places: NDArray[np.uint16], texts: Sequence[str], is_null: NDArray[np.bool_] | None
) -> pa.DictionaryArray:
    """Return for each row the text at its place, every distinct text once."""
    distinct = list(dict.fromkeys(texts))
    numbers = np.array([distinct.index(text) for text in texts], np.int32)
    indices = pa.array(numbers.take(places), mask=is_null)
    return pa.DictionaryArray.from_arrays(indices, pa.array(distinct, _TEXT))


def _name_domains(
    table: VerdictTable, names: NDArray[np.uint32], is_null: NDArray[np.bool_] | None
) -> pa.DictionaryArray:
    """Return each row's domain, null where the value is no address."""
    has_none = names == 0
    if is_null is not None:
        has_none |= is_null
    texts = [series.to_arrow().cast(_TEXT) for series in table.names.in_series()]
    distinct = pa.concat_arrays(texts) if texts else pa.array([], _TEXT)
    places = names.astype(np.int32) - 1
    return pa.DictionaryArray.from_arrays(pa.array(places, mask=has_none), distinct)


def _key_chunk(chunk: pa.Array, is_fault: NDArray[np.bool_]) -> pa.Array:
    """Return the keys of some values: those in ASCII at once, the others one distinct value each.

    What Python trims and Arrow does not is left to Python as well.
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
        keys = pc.replace_with_mask(keys, pc.invert(is_plain), mended.take(others.indices))
    is_blank = pc.or_(pc.equal(keys, ""), pc.equal(keys, FAULT_MARK))
    return pc.if_else(is_blank, pa.scalar(None, _TEXT), keys)


def _ignore(share: float) -> None:
    """Take progress that nobody asked for."""
