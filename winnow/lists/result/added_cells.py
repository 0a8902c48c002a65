"""Added cells of today after each row's own: verdict, reasons, suggestion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from winnow.core.addresses.repairs import CORRECTABLE, suggest_address
from winnow.core.lists.exports import DownloadChoice
from winnow.core.tasks.task import InputPlan, KeyType
from winnow.core.verdicts.judge import Judge
from winnow.lists.result.cell_grid import read_emails
from winnow.lists.result.row_index import Mask, RowIndex
from winnow.lists.result.row_view import RowView

REASON_SEPARATOR = "; "
_ROWS_AT_ONCE = 1 << 16
_DOMAINS_REMEMBERED = 65_536

Suggest = Callable[[str], str]
"""Returns a corrected address for an email cell, or nothing."""


@dataclass(frozen=True, slots=True)
class AddedCells:
    """Which of the distinct ``texts``, one cell for each added column, each row gets."""

    codes: NDArray[np.uint32]
    texts: tuple[tuple[str, ...], ...]

    def add(self, numbers: NDArray[np.integer], words: Sequence[str]) -> "AddedCells":
        """Return these with one more column: each row's word by its number."""
        pairs = self.codes.astype(np.uint64) * np.uint64(len(words)) + numbers.astype(np.uint64)
        distinct, codes = np.unique(pairs, return_inverse=True)
        known = (divmod(pair, len(words)) for pair in distinct.tolist())
        texts = tuple((*self.texts[code], words[number]) for code, number in known)
        return AddedCells(codes.astype(np.uint32), texts)


def list_added_cells(
    view: RowView, plan: InputPlan, choice: DownloadChoice, suggest: Suggest | None, wanted: Mask
) -> AddedCells:
    """Return the added cells of all rows; the suggestions are those of the wanted rows.

    Raises:
        ValueError: The choice has suggestions, and ``suggest`` is None.
    """
    index, added = view.index, view.index.text.added
    texts = [added.list_cells(verdict) for verdict in view.verdicts]
    if choice.adds_reason:
        reasons = (REASON_SEPARATOR.join(verdict.reasons) for verdict in view.verdicts)
        texts = [(*some, words) for some, words in zip(texts, reasons, strict=True)]
    places = view.places(0, index.row_count)
    known: dict[tuple[str, ...], int] = {}
    code_of = np.array([known.setdefault(some, len(known)) for some in texts], np.uint32)
    found = AddedCells(code_of[places], tuple(known))
    if not choice.adds_suggestion:
        return found
    if suggest is None:
        raise ValueError("the choice has suggestions, and nothing makes them")
    is_open = np.array([may_be_corrected(one.reasons) for one in view.verdicts], np.bool_)
    rows = np.flatnonzero(is_open[places] & wanted)
    return found.add(*_suggest(index, plan, rows, suggest))


def may_be_corrected(reasons: Sequence[str]) -> bool:
    """Return whether a row with these reasons may have a suggestion."""
    return not CORRECTABLE.isdisjoint(reasons)


def _suggest(
    index: RowIndex, plan: InputPlan, rows: NDArray[np.int64], suggest: Suggest
) -> tuple[NDArray[np.uint32], list[str]]:
    """Return each row's suggestion by number; nothing where the list's encoding cannot say it."""
    words, numbers = {"": 0}, np.zeros(index.row_count, np.uint32)
    encoding = index.text.encoding
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[start : start + _ROWS_AT_ONCE]
        for row, email in zip(some.tolist(), read_emails(index, plan, some), strict=True):
            text = suggest(email)
            if text.encode(encoding, "ignore").decode(encoding) == text:
                numbers[row] = words.setdefault(text, len(words))
    return numbers, list(words)


def make_suggest(judge: Judge, key_type: KeyType) -> Suggest:
    """Return a function that corrects addresses by today's data; for one reader.

    The suggestions are those of a single check; only the analyst applies them. The sandbox
    suggests nothing.
    """
    if key_type is KeyType.SANDBOX:
        return lambda text: ""
    find_facts = lru_cache(maxsize=_DOMAINS_REMEMBERED)(judge.knowledge.look_up)
    return lambda text: suggest_address(text, find_facts) or ""
