"""Named policies: which rows are removed and how files look, stored for reuse."""

from collections.abc import Sequence
from dataclasses import dataclass

from winnow.core.errors import BadField
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import DownloadChoice
from winnow.core.verdicts.domain_types import Ground
from winnow.words import say, translatable

POLICIES_MAX = 20  # of one account: as many as one can still compare


@dataclass(frozen=True, slots=True)
class NamedPolicy:
    """One of an account's policies; exactly one of them is its default."""

    policy_id: str
    name: str
    choice: DownloadChoice
    is_default: bool = False


def _choose(*kept: Ground) -> CleaningPolicy:
    """Return a policy of all but these grounds."""
    return CleaningPolicy(frozenset(Ground).difference(kept))


SHIPPED = (
    NamedPolicy("standard", translatable("Standard"), DownloadChoice(), is_default=True),
    NamedPolicy(
        "newsletter",
        translatable("Newsletter (careful)"),
        DownloadChoice(_choose(Ground.MULTI_ALIAS, Ground.OWN_GREY, Ground.FREE_PROVIDER)),
    ),
    NamedPolicy(
        "b2b",
        translatable("B2B outreach"),
        DownloadChoice(_choose(Ground.OWN_GREY, Ground.ROLE_ACCOUNT), adds_reason=True),
    ),
)
"""Policies of a new account: "Standard" removes what is bad. The careful one also removes what
harms a sender's reputation: doubtful, misspelt and role addresses. The one for outreach keeps only
companies' addresses, with role accounts."""


def find_policy(known: Sequence[NamedPolicy], name: str) -> NamedPolicy:
    """Return the policy with a name, case aside.

    Raises:
        BadField: There is none; the hint lists the names that exist.
    """
    wanted = name.strip().casefold()
    for one in known:
        if one.name.casefold() == wanted:
            return one
    names = ", ".join(f"\u201c{one.name}\u201d" for one in known)
    raise BadField(
        "policy",
        translatable("does not exist"),
        hint=translatable("There are {names}.", names=names),
    )


_SHIPPED_NAMES = {one.policy_id: one.name for one in SHIPPED}


def say_policy(policy: NamedPolicy) -> str:
    """Return a policy's name; one of Winnow's own, if not renamed, is translated."""
    is_shipped = _SHIPPED_NAMES.get(policy.policy_id) == policy.name
    return say(policy.name) if is_shipped else policy.name
