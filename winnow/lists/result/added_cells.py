"""Added cells of today after each row's own: verdict, reasons, suggestion, probability."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from winnow.core.addresses.repairs import CORRECTABLE, suggest_address
from winnow.core.lists.exports import DownloadChoice
from winnow.core.tasks.task import InputPlan, KeyType
from winnow.core.verdicts.judge import Judge
from winnow.core.verdicts.probability import rate_domain, tells_probability
from winnow.lists.result.cell_grid import read_emails
from winnow.lists.result.row_index import Mask, RowIndex
from winnow.lists.result.row_view import RowView

REASON_SEPARATOR = "; "
_ROWS_AT_ONCE = 1 << 16
_DOMAINS_REMEMBERED = 65_536

Suggest = Callable[[str], str]
"""Returns a corrected address for an email cell, or nothing."""

Rate = Callable[[Sequence[str]], Sequence[str]]
"""Returns for each domain how likely it is disposable, ``""`` where not known."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The functions that correct addresses and rate domains, by today's data."""

    suggest: Suggest
    rate: Rate


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
    view: RowView, plan: InputPlan, choice: DownloadChoice, advice: Advice | None, wanted: Mask
) -> AddedCells:
    """Return the added cells of all rows; the suggestions are those of the wanted rows.

    Raises:
        ValueError: The choice has advice, and there is none.
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
    if advice is None:
        if choice.adds_suggestion or choice.adds_probability:
            raise ValueError("the choice has advice, and there is none")
        return found
    if choice.adds_suggestion:
        is_open = np.array([may_be_corrected(one.reasons) for one in view.verdicts], np.bool_)
        rows = np.flatnonzero(is_open[places] & wanted)
        found = found.add(*_suggest(index, plan, rows, advice.suggest))
    if choice.adds_probability:
        words, numbers = {"": 0}, [np.zeros(1, np.uint8)]
        for names in index.read_names():
            rated = (words.setdefault(text, len(words)) for text in advice.rate(names.to_list()))
            numbers.append(np.fromiter(rated, np.uint8, len(names)))
        tells = np.array([tells_probability(verdict) for verdict in view.verdicts], np.uint8)
        of_row = np.concatenate(numbers)[index.domain_codes(0, index.row_count)]
        found = found.add(of_row * tells[places], list(words))
    return found


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


def make_advice(judge: Judge, key_type: KeyType) -> Advice:
    """Return functions that correct addresses and rate domains of a list; for one reader.

    The suggestions are those of a single check; only the analyst applies them. The sandbox
    suggests nothing and rates no domain.
    """
    if key_type is KeyType.SANDBOX:
        return Advice(lambda text: "", lambda domains: [""] * len(domains))
    find_facts = lru_cache(maxsize=_DOMAINS_REMEMBERED)(judge.knowledge.look_up)
    return Advice(
        lambda text: suggest_address(text, find_facts) or "",
        lambda domains: _rate(judge, domains),
    )


def _rate(judge: Judge, domains: Sequence[str]) -> Sequence[str]:
    """Return how likely each domain is disposable as text, ``""``: unknown."""
    alike: dict[int, str] = {}
    found = []
    for number, domain in zip(judge.number_alike(domains), domains, strict=True):
        if not number:
            found.append(_rate_one(judge, domain))
            continue
        if number not in alike:
            alike[number] = _rate_one(judge, domain)
        found.append(alike[number])
    return found


def _rate_one(judge: Judge, domain: str) -> str:
    likely = rate_domain(judge.knowledge.look_up(domain), judge.knowledge.probabilities)
    return "" if likely is None else str(likely)
