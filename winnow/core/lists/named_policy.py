"""Named policies: which rows are removed and how files look, stored for reuse."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import DownloadChoice
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.words import mark, say

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
    NamedPolicy("standard", mark("Standard"), DownloadChoice(), is_default=True),
    NamedPolicy(
        "newsletter",
        mark("Newsletter (careful)"),
        DownloadChoice(
            _choose(Ground.MULTI_ALIAS, Ground.OWN_GREY, Ground.FREE_PROVIDER), adds_suggestion=True
        ),
    ),
    NamedPolicy(
        "b2b",
        mark("B2B outreach"),
        DownloadChoice(_choose(Ground.OWN_GREY, Ground.ROLE_ACCOUNT), adds_reason=True),
    ),
)
"""Policies of a new account: "Standard" removes what is bad. The careful one also removes what
harms a sender's reputation (doubtful, misspelt and role addresses) and suggests corrections. The
one for outreach keeps only companies' addresses, with role accounts."""


_SHIPPED_NAMES = {one.policy_id: one.name for one in SHIPPED}


def say_policy(policy: NamedPolicy) -> str:
    """Return a policy's name; one of Winnow's own, if not renamed, is translated."""
    is_shipped = _SHIPPED_NAMES.get(policy.policy_id) == policy.name
    return say(policy.name) if is_shipped else policy.name


@dataclass(frozen=True, slots=True)
class PolicyEffect:
    """Effect of one policy on a list's rows.

    ``lost`` counts each removed row once, by the first chosen ground that removes it; ``review``
    are kept rows that a person should look at.
    """

    rows: int
    kept: int
    review: int
    lost: Mapping[Ground, int]

    @property
    def lost_rows(self) -> int:
        """How many rows are removed."""
        return self.rows - self.kept


def measure(policy: CleaningPolicy, counts: Iterable[tuple[Verdict, int]]) -> PolicyEffect:
    """Return a policy's effect, from a list's distinct verdicts and their row counts."""
    rows = kept = review = 0
    lost: dict[Ground, int] = {}
    for verdict, count in counts:
        rows += count
        ground = policy.find_ground(verdict)
        if ground is not None:
            lost[ground] = lost.get(ground, 0) + count
            continue
        kept += count
        review += count if verdict.category is Category.GREY else 0
    return PolicyEffect(rows, kept, review, {one: lost[one] for one in Ground if one in lost})
