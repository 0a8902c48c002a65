"""Comparison of two lists: new, missing and changed addresses, and the files that follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from winnow.core.lists.cleaning import NO_MAIL_GROUNDS, CleaningPolicy
from winnow.core.verdicts.verdict import Verdict

NEVER_MAIL = "never-mail"
"""In place of an earlier list's id: the same list, by what was remembered when it came."""


class Difference(StrEnum):
    """How an address differs between an earlier list and a later one: the first that applies."""

    NEW = "new"  # only in the later one
    GONE = "gone"  # only in the earlier one
    SAID_NO = "said_no"  # says no now, and did not before
    TURNED_BAD = "turned_bad"  # bounced or to be removed now, and was not before
    SAID_YES = "said_yes"  # said no before, and may be mailed now
    CHANGED = "changed"  # another action or domain type


def find_difference(
    before: Verdict | None, now: Verdict | None, policy: CleaningPolicy
) -> Difference | None:
    """Return how an address differs by its verdicts; None: it does not.

    Args:
        before: In the earlier list; None: it is not there.
        now: In the later list; None: it is not there.
        policy: Says what to do with each.
    """
    if before is None or now is None:
        return Difference.NEW if before is None else Difference.GONE
    was_no, is_no = (policy.forbids(one, NO_MAIL_GROUNDS) for one in (before, now))
    # Left out for another ground than a person's no.
    not_bad = {None, *NO_MAIL_GROUNDS}
    was_bad, is_bad = (policy.find_ground(one) not in not_bad for one in (before, now))
    if is_no and not was_no:
        return Difference.SAID_NO
    if is_bad and not was_bad:
        return Difference.TURNED_BAD
    if was_no and not policy.removes(now):
        return Difference.SAID_YES
    pairs = ((policy.find_action(one), one.domain_type) for one in (before, now))
    return None if len(set(pairs)) == 1 else Difference.CHANGED


class Wanted(StrEnum):
    """Which of a list's rows a mail platform is to get since an earlier list."""

    ADD = "add"  # new, and no row or file of either list says no
    SUPPRESS = "suppress"  # says no or bounced now, and did not before


@dataclass(frozen=True, slots=True)
class Since:
    """The rows that a mail platform is to get since an earlier list, each address once."""

    earlier_id: str
    wanted: Wanted


@dataclass(frozen=True, slots=True)
class Earlier:
    """The list to compare with: its id, or ``NEVER_MAIL``; its name and day."""

    earlier_id: str
    name: str
    day: datetime
    is_project: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """Counts of distinct addresses; an address in several rows counts by its last row.

    ``same`` are in both lists with one verdict. ``blanks`` are rows of either with an empty email
    cell: nothing to compare. ``by_action`` counts, for each difference, addresses by action: of
    ``gone`` as it was, else as it is now.
    """

    same: int
    blanks: int
    by_action: Mapping[Difference, Mapping[str, int]]

    def count(self, difference: Difference) -> int:
        """Return how many addresses have a difference."""
        return sum(self.by_action[difference].values())


@dataclass(frozen=True, slots=True)
class DifferentAddress:
    """One address with its verdicts before and now; None where a list does not have it."""

    email: str
    before: Verdict | None
    now: Verdict | None
