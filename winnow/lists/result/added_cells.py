"""Added cells of today after each row's own: the verdict, and its reasons."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.exports import DownloadChoice
from winnow.lists.result.row_view import RowView

REASON_SEPARATOR = "; "


@dataclass(frozen=True, slots=True)
class AddedCells:
    """Which of the distinct ``texts``, one cell for each added column, each row gets."""

    codes: NDArray[np.uint32]
    texts: tuple[tuple[str, ...], ...]


def list_added_cells(view: RowView, choice: DownloadChoice) -> AddedCells:
    """Return the added cells of all rows."""
    added = view.index.text.added
    texts = [added.list_cells(verdict) for verdict in view.verdicts]
    if choice.adds_reason:
        reasons = (REASON_SEPARATOR.join(verdict.reasons) for verdict in view.verdicts)
        texts = [(*some, words) for some, words in zip(texts, reasons, strict=True)]
    known: dict[tuple[str, ...], int] = {}
    code_of = np.array([known.setdefault(some, len(known)) for some in texts], np.uint32)
    return AddedCells(code_of[view.places(0, view.index.row_count)], tuple(known))
