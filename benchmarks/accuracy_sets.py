"""The sets of names that accuracy is measured on, and judges without one list."""

from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files

from winnow.core.verdicts.facts import AddressFacts, DomainFacts
from winnow.core.verdicts.policy import decide
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.look_up.look_up import Knowledge

Judge = Callable[[str], Category]
SAMPLE = 20_000  # names of a list


def judge(facts: DomainFacts) -> Category:
    """Judge a domain as part of an ordinary address."""
    return decide(AddressFacts(domain=facts)).category


def hold_out(knowledge: Knowledge, source: str) -> Judge:
    """Return a judge without one list; the list is named as in listings."""

    def judge_without(name: str) -> Category:
        facts = knowledge.look_up(name)
        left = tuple(found for found in facts.listings if found.source != source)
        return judge(facts._replace(listings=left))

    return judge_without


def take(names: Iterable[str]) -> Sequence[str]:
    """Return about ``SAMPLE`` of the names, evenly spread over the alphabet."""
    ordered = sorted(names)
    return ordered[:: max(1, len(ordered) // SAMPLE)]


def read_hstspreload() -> list[str]:
    """Return the honest names of the package hstspreload, from its packed table."""
    import hstspreload

    data = (files("hstspreload") / "hstspreload.bin").read_bytes()
    names = set()
    for layer in hstspreload._JUMPTABLE:
        for place in filter(None, layer):
            packed = data[place[0] : place[0] + place[1]]
            for is_leaf, _, label in hstspreload._iter_entries(packed):
                if is_leaf:
                    names.add(label.decode())
    return sorted(names)


def is_public(name: str) -> bool:
    """Return whether a name is that of a public body or a school, for a set of its own."""
    return bool({"gov", "edu", "mil", "ac", "gob", "gouv"} & set(name.split(".")[1:]))
