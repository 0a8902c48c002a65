"""Exact counts of the output rows, taken while they are written."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.tasks.task import Summary
from winnow.core.verdicts.verdict import CATEGORIES, Verdict
from winnow.lists.engine.domain_texts import NamesByCode
from winnow.lists.engine.repairer import KINDS, RepairedCells

TOP_DOMAIN_COUNT = 50
_COUNTS_AT_ONCE = 1 << 20


class RowCounter:
    """Counts rows by verdict, by domain code and class, by format validity, and repairs.

    The class is the category unless ``classes``, of which ``class_of`` has each verdict's place,
    are others. ``duplicates_invalid`` is added to by callers: removed rows that are no addresses.
    """

    def __init__(
        self,
        verdicts: Sequence[Verdict],
        name_count: int,
        classes: Sequence[str] = CATEGORIES,
        class_of: Sequence[int] | None = None,
    ) -> None:
        self._verdicts = verdicts
        if class_of is None:
            class_of = [CATEGORIES.index(verdict.category) for verdict in verdicts]
        self._class_of = np.array(class_of, np.int64)
        self.by_verdict = np.zeros(len(verdicts), np.int64)
        self.by_domain = np.zeros((name_count + 1, len(classes)), np.uint32)
        self._invalid = 0
        self.duplicates_invalid = 0
        self._repaired = np.zeros(len(KINDS), np.int64)
        self._duplicates_repaired = 0

    def add(
        self,
        verdict_indices: NDArray[np.uint16],
        name_codes: NDArray[np.uint32],
        invalid_count: int = 0,
    ) -> None:
        """Count a block of output rows."""
        self.by_verdict += np.bincount(verdict_indices, minlength=len(self._verdicts))
        indices = name_codes * np.int64(self.by_domain.shape[1]) + self._class_of[verdict_indices]
        np.add.at(self.by_domain.ravel(), indices, np.uint32(1))
        self._invalid += invalid_count

    def add_repairs(self, repaired: RepairedCells, rows: NDArray[np.int64]) -> None:
        """Count the repairs of a block; ``rows`` are the result's rows in it, rising."""
        is_there = np.isin(repaired.rows, rows, assume_unique=True)
        self._repaired += np.bincount(repaired.kinds[is_there], minlength=len(KINDS))
        self._duplicates_repaired += int(np.count_nonzero(~is_there))

    def summarise(self, rows_in: int, names: NamesByCode | pl.Series, data_version: str) -> Summary:
        """Return the counts; ``names`` are the domains by code from 1 on."""
        by_category: Counter[str] = Counter()
        by_type: Counter[str] = Counter()
        by_reason: Counter[str] = Counter()
        by_both: Counter[tuple[str, str]] = Counter()
        for verdict, count in zip(self._verdicts, self.by_verdict.tolist(), strict=True):
            if count:
                by_category[verdict.category.value] += count
                by_type[verdict.domain_type.value] += count
                by_both[verdict.category.value, verdict.domain_type.value] += count
                by_reason.update({reason.value: count for reason in verdict.reasons})
        rows_out = int(self.by_verdict.sum())
        return Summary(
            rows_in=rows_in,
            rows_out=rows_out,
            duplicates_removed=rows_in - rows_out,
            invalid=self._invalid,
            charged=rows_out - self._invalid,
            by_category=dict(by_category),
            by_domain_type=dict(by_type),
            by_reason=dict(by_reason),
            by_category_and_type=tuple(
                (category, kind, count) for (category, kind), count in sorted(by_both.items())
            ),
            top_domains=self._find_top_domains(names),
            data_version=data_version,
            repaired={
                kind.value: count
                for kind, count in zip(KINDS, self._repaired.tolist(), strict=True)
                if count
            },
            duplicates_invalid=self.duplicates_invalid,
            duplicates_repaired=self._duplicates_repaired,
        )

    def _find_top_domains(self, names: NamesByCode | pl.Series) -> tuple[tuple[str, str, int], ...]:
        kinds = len(CATEGORIES)
        counts = self.by_domain[1:].ravel()
        largest = np.empty(0, np.int64)
        for start in range(0, len(counts), _COUNTS_AT_ONCE):
            indices = np.flatnonzero(counts[start : start + _COUNTS_AT_ONCE]) + start
            largest = np.concatenate((largest, indices))
            if len(largest) > TOP_DOMAIN_COUNT:
                largest = largest[np.argpartition(counts[largest], -TOP_DOMAIN_COUNT)]
                largest = largest[-TOP_DOMAIN_COUNT:]
        found = [
            (
                names[place // kinds].removeprefix("@"),
                CATEGORIES[place % kinds].value,
                int(counts[place]),
            )
            for place in largest.tolist()
        ]
        return tuple(sorted(found, key=lambda entry: (-entry[2], entry[0], entry[1])))
