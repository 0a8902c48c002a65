"""Typing errors of one key on common keyboards."""

from collections.abc import Iterable

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
        return _is_exchange(typed, meant) or _is_neighbour_hit(typed, meant)
    if len(typed) + 1 == len(meant):
        return _leaves_out_one(meant, typed)
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


def _is_neighbour_hit(typed: str, meant: str) -> bool:
    wrong = [pair for pair in zip(typed, meant, strict=True) if pair[0] != pair[1]]
    return len(wrong) == 1 and are_neighbours(*wrong[0])


def _leaves_out_one(longer: str, shorter: str) -> bool:
    return any(longer[:place] + longer[place + 1 :] == shorter for place in range(len(longer)))


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
            if one != other and _lies_beside(here, there)
        )
    return frozenset(pairs)


def _lies_beside(here: tuple[int, float], there: tuple[int, float]) -> bool:
    rows_apart, keys_apart = abs(here[0] - there[0]), abs(here[1] - there[1])
    return rows_apart <= 1 and keys_apart <= 1


_NEIGHBOURS = _find_neighbours()
