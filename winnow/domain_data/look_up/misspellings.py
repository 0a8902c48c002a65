"""Misspellings of big mailbox providers by one typing error."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

SHORT_LETTERS = (3, 4)

_ROWS = (  # letters and figures by row and by half keys from the left, as on each common layout
    ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"),
    ("1234567890", "qwertzuiop", "asdfghjkl", "yxcvbnm"),
    ("1234567890", "azertyuiop", "qsdfghjklm", "wxcvbn"),
)
_ROW_OFFSETS = (0, 1, 1.5, 2.5)  # in keys: each row is a little to the right of the one above


def is_key_slip(typed: str, meant: str) -> bool:
    """Return whether one typing error turns the intended word into the typed one.

    Two letters exchanged, also across a third; one left out; one doubled; a neighbouring key
    instead of a letter or next to it.
    """
    if len(typed) == len(meant):
        wrong = [pair for pair in zip(typed, meant, strict=True) if pair[0] != pair[1]]
        is_beside = len(wrong) == 1 and are_neighbours(*wrong[0])
        return is_beside or _is_exchange(typed, meant)
    if len(typed) + 1 == len(meant):
        return typed in leave_one_out(meant)
    return len(typed) == len(meant) + 1 and _is_extra_key(typed, meant)


def spell_short_slips(labels: Iterable[str]) -> dict[str, str]:
    """Return misspellings of providers' short labels, with the intended label.

    With a neighbouring key nearly every short label is a word or a company. So a label of three
    letters has only doubled keys, and one of four also two exchanged keys.
    """
    meant: dict[str, set[str]] = {}
    known = frozenset(labels)
    for label in known:
        if label.isalpha() and len(label) in SHORT_LETTERS:
            slips = {label[:place] + label[place] + label[place:] for place in range(len(label))}
            if len(label) == max(SHORT_LETTERS):
                slips |= {
                    label[:place] + label[place + 1] + label[place] + label[place + 2 :]
                    for place in range(len(label) - 1)
                }
            for slip in slips - known:
                meant.setdefault(slip, set()).add(label)
    return {slip: label for slip, (label, *more) in sorted(meant.items()) if not more}


def are_neighbours(one: str, other: str) -> bool:
    """Return whether two keys are neighbours on a common keyboard."""
    return (one, other) in _NEIGHBOURS


def _is_exchange(typed: str, meant: str) -> bool:
    places = [
        place for place, pair in enumerate(zip(typed, meant, strict=True)) if len(set(pair)) > 1
    ]
    if len(places) not in {2, 3} or places[-1] - places[0] != len(places) - 1:
        return False
    first, last = places[0], places[-1] + 1
    piece = meant[first:last]
    return typed[first:last] in {piece[::-1], piece[1:] + piece[:1], piece[-1:] + piece[:-1]}


def _is_extra_key(typed: str, meant: str) -> bool:
    for place, key in enumerate(typed):
        if typed[:place] + typed[place + 1 :] == meant:
            beside = typed[max(place - 1, 0) : place] + typed[place + 1 : place + 2]
            if any(key == letter or are_neighbours(key, letter) for letter in beside):
                return True
    return False


def _find_neighbours() -> frozenset[tuple[str, str]]:
    pairs: set[tuple[str, str]] = set()
    for rows in _ROWS:
        places = {
            key: (number, place + offset)
            for number, (keys, offset) in enumerate(zip(rows, _ROW_OFFSETS, strict=True))
            for place, key in enumerate(keys)
        }
        pairs.update(
            (one, other)
            for one, here in places.items()
            for other, there in places.items()
            if one != other and abs(here[0] - there[0]) <= 1 and abs(here[1] - there[1]) <= 1
        )
    return frozenset(pairs)


_NEIGHBOURS = _find_neighbours()


SLIP_LETTERS_MAX = 3  # next to each other, that one typing error changes
LABEL_LETTERS_MIN = 5  # shorter labels are one slip away from too many honest names
SUFFIX_LETTERS_MIN = 2
ANY_EDIT_LETTERS_MIN = 7  # so long a word has hardly an honest neighbour
LARGE_SUFFIXES_MIN = 10  # providers that serve mailboxes under so many suffixes
FRONTS = ("www", "mail")  # written in front of a provider's name


class Misspellings:
    """Finds the provider that a name misspells: by one slip in its label, or in its suffix.

    Every target's label is kept under itself and under itself with one letter left out. A name
    one slip away shares at least one of these with its target, so a name that resembles none costs
    a few dictionary look-ups, and only the others are compared. A name of two slips, one in the
    label and one in the suffix, is found where no registry runs its top-level domain.

    Args:
        targets: Domains of providers.
        reviewed: Misspellings by more than one slip: whole domains, or second-level labels to
        labels.
        suffix_slips: Real suffixes that are nearly always slips, with what is meant by them.
        brands: Labels that mean one provider under every suffix, with its domain.
        words: Labels that are words or names of their own: never a slip, under no suffix.
        is_known_tld: Says whether a registry runs a top-level domain.
    """

    def __init__(
        self,
        targets: Iterable[str],
        *,
        reviewed: Mapping[str, str],
        suffix_slips: Mapping[str, str],
        brands: Mapping[str, str],
        words: Collection[str],
        is_known_tld: Callable[[str], bool],
    ) -> None:
        self._targets = frozenset(targets)
        self._reviewed = dict(reviewed)
        self._suffix_slips = dict(suffix_slips)
        self._brands = dict(brands)
        self._words = frozenset(words)
        self._is_known_tld = is_known_tld
        self._suffixes_by_label: dict[str, list[str]] = {}
        self._labels: dict[str, set[str]] = {}
        for target in sorted(self._targets):
            label, _, suffix = target.partition(".")
            self._suffixes_by_label.setdefault(label, []).append(suffix)
            for form in (label, *leave_one_out(label)):
                self._labels.setdefault(form, set()).add(label)
        self._suffixes = {s for group in self._suffixes_by_label.values() for s in group}
        self._longest = max(map(len, self._suffixes_by_label), default=0) + 1
        cuts = [(label, at) for label in self._suffixes_by_label for at in range(len(label) + 1)]
        self._starts = {label[:at] for label, at in cuts}
        self._ends = {label[at:] for label, at in cuts}

    def find(self, domain: str) -> str | None:
        """Return the provider's domain that this registrable name misspells, or None."""
        if domain in self._targets:
            return None
        if (reviewed := self._reviewed.get(domain)) is not None:
            return reviewed
        label, _, suffix = domain.partition(".")
        joined = label.replace("-", "")
        if joined != label and joined in self._brands and f"{joined}.{suffix}" in self._targets:
            return f"{joined}.{suffix}"
        is_dead = not self._is_known_tld(suffix.rpartition(".")[2])
        if label in self._suffixes_by_label:
            brand = None if is_dead else self._brands.get(label)
            return self._find_by_suffix(label, suffix) or brand
        may_be_slip = LABEL_LETTERS_MIN <= len(label) <= self._longest or label in self._reviewed
        if label in self._words or not may_be_slip:
            return None
        is_slip = suffix in self._suffix_slips and len(label) >= LABEL_LETTERS_MIN
        if suffix not in self._suffixes and not is_dead and not is_slip:
            return None
        for meant in self._list_meant(label):
            if f"{meant}.{suffix}" in self._targets:
                return f"{meant}.{suffix}"
            is_large = (
                meant in self._brands or len(self._suffixes_by_label[meant]) >= LARGE_SUFFIXES_MIN
            )
            may_be_two = is_dead or (is_slip and is_large)  # two slips at once
            if may_be_two and (found := self._find_by_suffix(meant, suffix)) is not None:
                return found
        return None

    def find_below(self, domain: str, registrable: str) -> str | None:
        """Return the provider meant by a name below another: ``www.gmail.com``, ``uol.con.br``."""
        if (reviewed := self._reviewed.get(domain)) is not None:
            return reviewed
        label, _, rest = domain.partition(".")
        if label in FRONTS and rest in self._targets:
            return rest
        if (doubled := domain.removesuffix(".com")) in self._targets:
            return doubled
        if rest != registrable or label not in self._suffixes_by_label:
            return None
        served = [suffix for suffix in self._suffixes_by_label[label] if "." in suffix]
        return _choose_nearest(label, rest, served)

    def _list_meant(self, label: str) -> list[str]:
        if (reviewed := self._reviewed.get(label)) is not None:
            return [reviewed]
        kept = (len(label) - SLIP_LETTERS_MAX) // 2
        if label[:kept] not in self._starts and label[-kept:] not in self._ends:
            return []  # as for most names: before or behind a slip is at least half of the rest
        forms = self._labels.keys() & (label, *leave_one_out(label))
        return sorted(
            candidate
            for candidate in {label for form in forms for label in self._labels[form]}
            if len(candidate) >= LABEL_LETTERS_MIN
            and (
                is_key_slip(label, candidate)
                or (
                    len(candidate) >= ANY_EDIT_LETTERS_MIN
                    and label[0] == candidate[0]  # eastmail is a name, and so is lastmail
                    and _is_any_edit(label, candidate)
                )
            )
        )

    def _find_by_suffix(self, label: str, suffix: str) -> str | None:
        """Return the domain meant by a provider's label under a suffix that it does not serve."""
        served = self._suffixes_by_label[label]
        is_dead = not self._is_known_tld(suffix.rpartition(".")[2])
        meant = self._suffix_slips.get(suffix)
        if meant in served and (is_dead or len(label) >= LABEL_LETTERS_MIN):
            return f"{label}.{meant}"
        if not is_dead:
            return None
        begun = [whole for whole in served if whole.startswith(suffix)]
        if len(begun) == 1 or "com" in begun:  # the end is cut off: t-online.d
            return f"{label}.{'com' if 'com' in begun else begun[0]}"
        if len(suffix) < SUFFIX_LETTERS_MIN:
            return None
        return _choose_nearest(label, suffix, served)


def _choose_nearest(label: str, suffix: str, served: Sequence[str]) -> str | None:
    """Return the served suffix that a dead one misspells; ``com`` first, the shortest next."""
    ordered = sorted(served, key=lambda meant: (meant != "com", len(meant), meant))
    for is_slip in (_is_exchange_or_key, _is_any_edit):
        for meant in ordered:
            if is_slip(suffix.replace(".", ""), meant.replace(".", "")):
                return f"{label}.{meant}"
    return None


def _is_exchange_or_key(typed: str, meant: str) -> bool:
    if len(meant) > SUFFIX_LETTERS_MIN:
        return is_key_slip(typed, meant)
    is_beside = len(typed) == len(meant) and sum(map(are_neighbours, typed, meant)) == 1
    return typed == meant[::-1] or typed == meant or (is_beside and is_key_slip(typed, meant))


def _is_any_edit(typed: str, meant: str) -> bool:
    """Return whether one letter differs or is missing or extra; two-letter suffixes must match."""
    if len(meant) <= SUFFIX_LETTERS_MIN:
        return len(typed) == len(meant) + 1 and meant in {typed[1:], typed[:-1], typed[::2]}
    if len(typed) == len(meant):
        return sum(one != other for one, other in zip(typed, meant, strict=True)) == 1
    longer, shorter = sorted((typed, meant), key=len, reverse=True)
    return len(longer) == len(shorter) + 1 and shorter in leave_one_out(longer)


def leave_one_out(label: str) -> list[str]:
    """Return the label without its first letter, without its second, and so on."""
    return [label[:place] + label[place + 1 :] for place in range(len(label))]
