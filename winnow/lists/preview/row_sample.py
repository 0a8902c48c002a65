"""Some rows of a list as the engine sees them, and what they are judged to be."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from winnow.core.verdicts.judge import Judge
from winnow.core.verdicts.verdict import Category
from winnow.lists.engine.both_addresses import AddressChoice, AddressCodes
from winnow.lists.engine.domain_spellings import DomainSpellings, parse_spellings
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.row_codes import FIRST_FAULT
from winnow.lists.engine.verdict_table import (
    FLAG_SPACE,
    ExactCode,
    judge_domains,
    mark_seen,
    number_exact,
)

CATEGORIES = tuple(Category)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is looked at: together a second's work, or two.

    A text of ``text_bytes`` and a sheet of ``sheet_bytes`` (unpacked) are read whole, unless a text
    has more than ``rows``, which take some 100 bytes each. Of larger ones ``sample_bytes`` of text
    are read, with about so many rows at most, or stretches of the first ``unpacked_bytes``.
    Of all rows, and of those that stay, ``judged_rows`` are judged at most.
    """

    text_bytes: int = 48_000_000
    rows: int = 1_000_000
    sheet_bytes: int = 40_000_000  # some 100,000 rows of six columns
    sample_bytes: int = 16 << 20
    unpacked_bytes: int = 400_000_000
    judged_rows: int = 20_000


@dataclass(frozen=True, slots=True)
class RowSample:
    """Rows in the file's order; ``codes``, ``flags`` and ``keys`` are ``address_column``'s.

    ``blocks`` numbers the stretch of the file that each row came from. ``row_count`` is how many
    rows the file has; with ``is_whole`` these are all of them. ``others`` are the addresses of the
    second column, where both are judged.
    """

    codes: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    blocks: NDArray[np.uint32]
    domains: DomainTexts
    row_count: int
    is_whole: bool
    is_head_only: bool = False
    others: AddressCodes | None = None

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """What rows are: places in CATEGORIES, and whether they fail format validation."""

    categories: NDArray[np.intp]
    is_invalid: NDArray[np.bool_]


class SampleJudge:
    """Judges rows of a sample by the one policy, each domain once.

    ``sample`` has one address a row: of two that are judged, the better one.
    """

    def __init__(self, sample: RowSample, judge: Judge) -> None:
        self._judge = judge
        self._exact: list[ExactCode] = number_exact(sample.domains, judge)  # before the parsing
        self.spellings: DomainSpellings = parse_spellings(sample.domains, lambda share: None)
        if sample.others is not None:
            first = AddressCodes(sample.codes, sample.flags, sample.keys)
            better = choose_better(first, sample.others, self.spellings, self._exact, judge)
            sample = replace(
                sample, codes=better.codes, flags=better.flags, keys=better.keys, others=None
            )
        self.sample = sample

    def judge(self, rows: NDArray[np.intp]) -> JudgedRows:
        """Judge these rows; only their domains are looked up."""
        codes, flags = self.sample.codes[rows], self.sample.flags[rows]
        seen = np.zeros(int(codes.max(initial=0)) + 1, np.uint8)
        np.bitwise_or.at(seen, codes, np.left_shift(1, flags).astype(np.uint8))
        table = judge_domains(self.spellings, self._exact, seen, self._judge, lambda share: None)
        of_verdict = np.array(
            [CATEGORIES.index(verdict.category) for verdict in table.verdicts], np.intp
        )
        found = table.find_places(codes, flags, self.sample.keys[rows])
        return JudgedRows(of_verdict[found], self.spellings.faults[codes] != 0)


def choose_better(
    first: AddressCodes,
    second: AddressCodes,
    spellings: DomainSpellings,
    exact: list[ExactCode],
    judge: Judge,
) -> AddressCodes:
    """Return the better address of each row, as a run chooses it."""
    seen = np.zeros(1, np.uint8)
    for one in (first, second):
        seen = mark_seen(seen, one.codes, one.flags)
    table = judge_domains(spellings, exact, seen, judge, lambda share: None)
    better = AddressChoice(table).choose(first, second)
    return replace(better, flags=better.flags & np.uint8(FLAG_SPACE - 1))


def keep_rows(codes: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Return where rows stand among the records: neither the header nor a blank line is one."""
    return np.flatnonzero(codes >= FIRST_FAULT)
