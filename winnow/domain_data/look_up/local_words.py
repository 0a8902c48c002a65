"""Local parts that name a function or fill in a form, with the flag of each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from winnow.core.verdicts.facts import LocalFlag, LocalWords

SEPARATORS = ("-", ".", "_")
QUALIFYING = ("-", ".")
NUMBERS = (*map(str, range(1, 10)), *(f"0{digit}" for digit in range(1, 10)), "24")
NUMBERED_LETTERS_MIN = 4  # a shorter word with a number is more often a person's
FILLER_FLAGS: Mapping[str, LocalFlag] = {
    "filler": LocalFlag.FILLER,
    "no mailbox": LocalFlag.FILLER | LocalFlag.NO_MAILBOX,
}


def flag_words(
    roles: Iterable[str], parts: Mapping[str, Sequence[str]], fillers: Mapping[str, str]
) -> LocalWords:
    """Return the flags of local parts in lower case.

    Args:
        roles: Whole names of functions.
        parts: What other names of functions are composed of, by kind: ``compound``,
            ``department``, ``qualifier``.
        fillers: Words that fill in a form, each with its kind, a key of ``FILLER_FLAGS``.
    """
    words = dict.fromkeys((*roles, *_compose_roles(parts)), LocalFlag.ROLE)
    for word, kind in fillers.items():
        words[word] = words.get(word, LocalFlag.NONE) | FILLER_FLAGS[kind]
    return words


def _compose_roles(parts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield ``customer-service``, ``info2``, ``vertrieb-nord``, ``uk.sales``."""
    for compound in parts.get("compound", ()):
        yield from (compound.replace(" ", separator) for separator in ("", *SEPARATORS))
    for name in parts.get("department", ()):
        if len(name) >= NUMBERED_LETTERS_MIN:
            yield from (name + number for number in NUMBERS)
        for separator in QUALIFYING:
            for qualifier in parts.get("qualifier", ()):
                yield f"{name}{separator}{qualifier}"
                yield f"{qualifier}{separator}{name}"
