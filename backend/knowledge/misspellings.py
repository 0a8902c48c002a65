"""Close misspellings of the big mailbox providers: one slip of the fingers away."""

from collections.abc import Callable, Iterable, Mapping

from rapidfuzz.distance import OSA

LABEL_LETTERS_MIN = 5  # shorter labels are one edit away from too many honest names
TLD_LETTERS_MIN = 2


class Misspellings:
    """Finds the provider that a name misspells, by one edit (optimal string alignment).

    Every target's label is kept under itself and under itself with one letter left out. A name
    one edit away shares at least one of these with its target, so a name that resembles none costs
    a few dictionary look-ups, and only the others are measured. ``reviewed`` maps what one edit
    cannot reach, whole domains or second-level labels.
    """

    def __init__(
        self,
        targets: Iterable[str],
        *,
        reviewed: Mapping[str, str],
        tld_slips: Mapping[str, str],
        is_suffix: Callable[[str], bool],
    ) -> None:
        self._targets = frozenset(targets)
        self._reviewed = dict(reviewed)
        self._tld_slips = dict(tld_slips)
        self._is_suffix = is_suffix
        self._suffixes_by_label: dict[str, list[str]] = {}
        self._labels: dict[str, set[str]] = {}
        for target in sorted(self._targets):
            label, _, suffix = target.partition(".")
            self._suffixes_by_label.setdefault(label, []).append(suffix)
            for form in (label, *_leave_one_out(label)):
                self._labels.setdefault(form, set()).add(label)
        self._suffixes = {s for group in self._suffixes_by_label.values() for s in group}

        self._longest = max(map(len, self._suffixes_by_label), default=0) + 1

    def find(self, domain: str) -> str | None:
        """Return the provider's domain that this registrable name misspells, or None."""
        if domain in self._targets:
            return None
        if (reviewed := self._reviewed.get(domain)) is not None:
            return reviewed
        label, _, suffix = domain.partition(".")
        if (meant := self._reviewed.get(label)) and f"{meant}.{suffix}" in self._targets:
            return f"{meant}.{suffix}"
        if not LABEL_LETTERS_MIN <= len(label) <= self._longest:
            return None
        if label in self._suffixes_by_label:
            return self._find_by_suffix(label, suffix)
        if suffix not in self._suffixes:
            return None
        candidates: set[str] = set()
        for form in (label, *_leave_one_out(label)):
            candidates |= self._labels.get(form, set())
        for candidate in sorted(candidates):
            target = f"{candidate}.{suffix}"
            if target in self._targets and OSA.distance(label, candidate, score_cutoff=1) == 1:
                return target
        return None

    def _find_by_suffix(self, label: str, suffix: str) -> str | None:
        meant = self._tld_slips.get(suffix)
        for wanted in self._suffixes_by_label[label]:
            if meant == wanted:
                return f"{label}.{wanted}"
        if self._is_suffix(suffix.rpartition(".")[2]) or len(suffix) < TLD_LETTERS_MIN:
            return None
        for wanted in self._suffixes_by_label[label]:
            if OSA.distance(suffix, wanted, score_cutoff=1) == 1:
                return f"{label}.{wanted}"
        return None


def _leave_one_out(label: str) -> list[str]:
    return [label[:place] + label[place + 1 :] for place in range(len(label))]
