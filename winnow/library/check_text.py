"""Check of a single text, without the packages that columns and lists need."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from winnow.core.addresses.address import local_flags
from winnow.core.addresses.repairs import suggest_address
from winnow.core.errors import BadField
from winnow.core.judging.evidence import collect_evidence
from winnow.core.judging.judge import Judge, Judgement, judge_text
from winnow.core.own_lists.patterns import OwnLists, parse_pattern
from winnow.core.ports import DomainKnowledge
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import Evidence, LocalFlag, OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.suffixes import is_public_suffix
from winnow.library.open_data import open_domain_data

if TYPE_CHECKING:
    from winnow.library.open_network import OpenNetwork


@dataclass(frozen=True, slots=True)
class CheckedAddress:
    """The verdict on one value, and its evidence.

    Attributes:
        category: ``"white"``, ``"grey"`` or ``"black"``.
        domain_type: As in result files: ``"disposable"``, ``"free"``, ``"invalid"`` …
        reasons: Stable codes, the deciding one first.
        suggestion: A corrected address to offer, never to apply; None where there is none.
        is_role: Whether the local part names a function (``info``), not a person.
        domain: Lower-case A-label; None where the value is not an address.
    """

    category: Category
    domain_type: DomainType
    reasons: tuple[Reason, ...]
    suggestion: str | None
    is_role: bool
    domain: str | None
    _explain: Callable[[], tuple[Evidence, ...]] = field(repr=False, compare=False)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """For each reason the rule, and its list or answer with its date."""
        return self._explain()


def check_value(
    text: str, own_lists: Mapping[str, str] | None, network: "OpenNetwork | None"
) -> CheckedAddress:
    """Check one value; see ``winnow.check``."""
    if not isinstance(text, str):
        msg = f"a {type(text).__name__} is no text"
        raise TypeError(msg)
    judge = open_judge(open_domain_data(), network)
    return check_text(judge.put_own_first(read_own_lists(own_lists or {})), text)


def open_judge(knowledge: DomainKnowledge, network: "OpenNetwork | None") -> Judge:
    """Return a judge of single values, which asks the network if that is open."""
    return Judge(knowledge, mail=None if network is None else network.ask_one())


def check_text(judge: Judge, text: str) -> CheckedAddress:
    """Check one value with a judge."""
    judged = judge_text(judge, text)
    address, verdict = judged.address, judged.verdict
    flags = LocalFlag.NONE
    if address is not None:
        flags = local_flags(address.local_part, judge.knowledge.local_words)
    return CheckedAddress(
        category=verdict.category,
        domain_type=verdict.domain_type,
        reasons=verdict.reasons,
        suggestion=suggest_address(text, judge.knowledge.look_up, judged.facts),
        is_role=bool(flags & LocalFlag.ROLE),
        domain=None if address is None else address.domain,
        _explain=partial(explain, judged),
    )


def explain(judged: Judgement) -> tuple[Evidence, ...]:
    """Return the evidence for each reason of a verdict."""
    return collect_evidence(judged.verdict, judged.facts, judged.own_entry, judged.fault)


def read_own_lists(entries: Mapping[str, str]) -> OwnLists:
    """Return own lists by pattern.

    Raises:
        BadField: A pattern or a category is none.
    """
    if not isinstance(entries, Mapping) or not all(isinstance(one, str) for one in entries):
        raise BadField("own_lists", "must be categories by pattern, as texts")
    read = []
    for text, category in entries.items():
        try:
            pattern = parse_pattern(text, is_public_suffix)
        except BadField as error:
            raise BadField("own_lists", f"{text!r} {error.problem}", hint=error.hint) from error
        if category not in list(Category):
            raise BadField("own_lists", f"{category!r} is none of white, grey and black")
        read.append(OwnEntry(Category(category), pattern.text, pattern.kind.reason))
    return OwnLists.build(1, read)
