"""Which rows of a list go: the analyst's choice over verdicts, and what it costs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from winnow.core.verdicts.grounds import Ground
from winnow.core.verdicts.reasons import OWN_REASONS, Reason
from winnow.core.verdicts.verdict import Category, Verdict

DO_NOT_MAIL_STAYS = "do-not-mail-stays"
"""The code of a policy that lets rows on do-not-mail files stay."""

USUAL_GROUNDS = frozenset({Ground.DO_NOT_MAIL, Ground.BLACK})


@dataclass(frozen=True, slots=True)
class CleaningPolicy:
    """What goes. By default black rows, and rows on the list's do-not-mail files.

    A row that the account's own lists put on white stays whatever is chosen, but for the
    do-not-mail files: who asked for no mail is asked for once, and outranks a list of favourites.
    """

    grounds: frozenset[Ground] = USUAL_GROUNDS

    @property
    def takes_black(self) -> bool:
        """Whether what stays has no black rows."""
        return Ground.BLACK in self.grounds

    def find_ground(self, verdict: Verdict) -> Ground | None:
        """Return the first chosen ground that a row goes by; None: it stays."""
        return next((ground for ground in list_grounds(verdict) if ground in self.grounds), None)

    def removes(self, verdict: Verdict) -> bool:
        """Tell whether a row goes."""
        return self.find_ground(verdict) is not None

    def find_reason(self, verdict: Verdict) -> Reason | None:
        """Return the one reason that a row goes for; None: it stays."""
        ground = self.find_ground(verdict)
        return None if ground is None else _name_reason(ground, verdict)

    def to_json(self) -> list[str]:
        """Return the chosen grounds' codes in their usual order.

        The do-not-mail files need no code: what was chosen before there were any holds for them.
        """
        chosen = self.grounds - {Ground.DO_NOT_MAIL}
        stays = () if Ground.DO_NOT_MAIL in self.grounds else (DO_NOT_MAIL_STAYS,)
        return [*(ground.value for ground in Ground if ground in chosen), *stays]

    @classmethod
    def from_json(cls, codes: Iterable[str]) -> "CleaningPolicy":
        """Read codes; unknown ones are left out."""
        known = {ground.value: ground for ground in Ground}
        codes = tuple(codes)
        grounds = frozenset(known[code] for code in codes if code in known)
        stays = DO_NOT_MAIL_STAYS in codes
        return cls(grounds if stays else grounds | {Ground.DO_NOT_MAIL})


def list_grounds(verdict: Verdict) -> tuple[Ground, ...]:
    """Return every ground that a row could go by, category before facts beside it."""
    forbidden = (Ground.DO_NOT_MAIL,) if Reason.DO_NOT_MAIL in verdict.reasons else ()
    if verdict.category is Category.BLACK:
        return (*forbidden, Ground.BLACK)
    if verdict.category is Category.WHITE and verdict.reasons[0] in OWN_REASONS:
        return forbidden
    found = {verdict.domain_type.ground, *(reason.ground for reason in verdict.reasons)}
    return tuple(ground for ground in Ground if ground in found)


@dataclass(frozen=True, slots=True)
class CleaningEffect:
    """What a policy does to a project's rows.

    ``by_ground`` is how many rows each ground would take if it were chosen alone, chosen or not.
    ``lost_by_reason`` counts each lost row once, by the reason that it goes for. ``review`` counts
    the grey rows that stay.
    """

    rows: int
    kept: int
    review: int
    by_ground: Mapping[Ground, int]
    lost_by_reason: Mapping[Reason, int]

    @property
    def lost(self) -> int:
        """How many rows go."""
        return self.rows - self.kept


@dataclass(frozen=True, slots=True)
class Cleaning:
    """A choice and what it does to one project's rows."""

    policy: CleaningPolicy
    effect: CleaningEffect

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """What is chosen, in its order; do-not-mail files only where there are rows on them."""
        return tuple(
            ground
            for ground in Ground
            if ground in self.policy.grounds
            and (ground is not Ground.DO_NOT_MAIL or self.effect.by_ground.get(ground))
        )


def weigh(policy: CleaningPolicy, counts: Iterable[tuple[Verdict, int]]) -> CleaningEffect:
    """Return what a policy does, from a project's distinct verdicts and how many rows have each."""
    rows = kept = review = 0
    by_ground: Counter[Ground] = Counter()
    lost_by_reason: Counter[Reason] = Counter()
    for verdict, count in counts:
        rows += count
        for ground in list_grounds(verdict):
            by_ground[ground] += count
        ground_found = policy.find_ground(verdict)
        if ground_found is None:
            kept += count
            review += count if verdict.category is Category.GREY else 0
            continue
        lost_by_reason[_name_reason(ground_found, verdict)] += count
    return CleaningEffect(rows, kept, review, by_ground, lost_by_reason)


_FIRST_REASONS = {reason.ground: reason for reason in reversed(Reason)}
"""What a row goes for whose domain type alone has the ground."""


def _name_reason(ground: Ground, verdict: Verdict) -> Reason:
    """Return the one reason that a lost row goes for."""
    named = (reason for reason in verdict.reasons if reason.ground is ground)
    return next(named, _FIRST_REASONS.get(ground, verdict.reasons[0]))
