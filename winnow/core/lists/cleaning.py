"""Cleaning policy: which rows of a list are removed, and how many that are."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from winnow.core.figures import show_count
from winnow.core.lists.side_files import MailOutcome
from winnow.core.lists.silence import SILENT_MONTHS
from winnow.core.meaning.outcomes import Outcome
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.reasons import OWN_REASONS, Reason
from winnow.core.verdicts.verdict import ALWAYS_SHOWN, Action, Category, Verdict, word_meaning
from winnow.words import say, translatable

NO_MAIL_GROUNDS = (
    Ground.DO_NOT_MAIL,
    Ground.UNSUBSCRIBED,
    Ground.SAID_ELSEWHERE,
    Ground.SAID_BEFORE,
)
"""Grounds that outrank keep lists: people who asked for no mail, in any row.

A policy without the last one has the newest row decide, without the last two only the kept row.
"""

SAID_REASONS = {
    **dict.fromkeys((Outcome.COMPLAINED, Outcome.NO_MAIL, Outcome.PENDING), Reason.UNSUBSCRIBED),
    **dict.fromkeys((Outcome.HARD_BOUNCE, Outcome.INVALID), Reason.BOUNCED_HARD),
    Outcome.SOFT_BOUNCE: Reason.BOUNCED_SOFT,
    Outcome.RISKY: Reason.DOUBTED,
}
"""Reasons of rows by what the list's own columns say."""

BOUNCE_REASONS = {
    MailOutcome.HARD: Reason.BOUNCED_HARD,
    MailOutcome.SOFT: Reason.BOUNCED_SOFT,
    MailOutcome.COMPLAINED: Reason.DO_NOT_MAIL,
    MailOutcome.UNSUBSCRIBED: Reason.DO_NOT_MAIL,
}
"""Reasons of rows by what bounce files say."""

MAIL_GROUNDS = (*NO_MAIL_GROUNDS, Ground.BOUNCED)
"""Grounds that are no verdict: what a person or a server said."""

_SHORT_WORDS = dict.fromkeys(NO_MAIL_GROUNDS, translatable("said no")) | {
    Ground.BOUNCED: translatable("bounced")
}
USUAL_GROUNDS = frozenset({*MAIL_GROUNDS, Ground.BLACK})

_STAYS = {ground: f"{ground.value}-stays" for ground in MAIL_GROUNDS}
"""Codes of a policy that keeps such rows. Without a code they are left out, so that policies and
links from before such a ground or file leave them out as well."""

_SILENT = "silent-"
_FIRST_REASONS = {reason.ground: reason for reason in reversed(Reason)}
"""The reason of a row that is removed by its domain type alone."""


class WhoDecides(StrEnum):
    """Which row decides about a person who says no in one row and yes in another."""

    ANY_NO = "any-no"
    NEWEST = "newest"  # by the date column of the keep rule
    KEPT = "kept"


_UNHEARD = {
    WhoDecides.ANY_NO: frozenset[Ground](),
    WhoDecides.NEWEST: frozenset({Ground.SAID_BEFORE}),
    WhoDecides.KEPT: frozenset({Ground.SAID_BEFORE, Ground.SAID_ELSEWHERE}),
}
"""Grounds that a policy is without."""


@dataclass(frozen=True, slots=True)
class CleaningPolicy:
    """Which rows are left out; by default black, do-not-mail, unsubscribed and hard-bounced rows.

    A row that the account's own lists keep stays whatever is chosen, unless it is on a do-not-mail
    file or unsubscribed: an objection to mail outranks a keep list. Of the others, people who have
    been silent for ``silent_months`` get no mail this time (0: all do; None: so too, where no
    recipe says it); they are not removed.
    """

    grounds: frozenset[Ground] = USUAL_GROUNDS
    silent_months: int | None = None

    @property
    def takes_black(self) -> bool:
        """Whether no black rows stay."""
        return Ground.BLACK in self.grounds

    @property
    def who_decides(self) -> WhoDecides | None:
        """Who decides about people who say both; None: neither of the three."""
        unheard = _UNHEARD[WhoDecides.KEPT] - self.grounds
        return next((one for one, grounds in _UNHEARD.items() if grounds == unheard), None)

    def let_decide(self, one: WhoDecides) -> "CleaningPolicy":
        """Return the same policy with another choice of who decides."""
        grounds = (self.grounds | _UNHEARD[WhoDecides.KEPT]) - _UNHEARD[one]
        return replace(self, grounds=grounds)

    def hear_as(self, other: "CleaningPolicy") -> "CleaningPolicy":
        """Return the same policy with what another does about people and servers that said no."""
        heard = other.grounds.intersection(MAIL_GROUNDS)
        return replace(self, grounds=self.grounds.difference(MAIL_GROUNDS) | heard)

    def find_ground(self, verdict: Verdict) -> Ground | None:
        """Return the first chosen ground that removes a row; None: it stays."""
        return next((ground for ground in list_grounds(verdict) if ground in self.grounds), None)

    def find_action(self, verdict: Verdict) -> Action:
        """Return what to do with a row: the rows to keep and to review are those that stay.

        A row that is to be removed anyway is never one that must not be mailed.
        """
        ground = self.find_ground(verdict)
        if ground is not None:
            return find_ground_action(ground)
        if self.find_delay(verdict) is not None:
            return Action.LATER
        return Action.KEEP if verdict.category is Category.WHITE else Action.REVIEW

    def find_delay(self, verdict: Verdict) -> Reason | None:
        """Return why a row gets no mail this time, if it is not removed; None: it gets some."""
        if _is_kept(verdict):
            return None
        if Reason.LEFT_OUT in verdict.reasons:
            return Reason.LEFT_OUT
        months = self.silent_months
        return Reason.SILENT if months and months <= verdict.silent_months else None

    def forbids(self, verdict: Verdict, grounds: Iterable[Ground] = MAIL_GROUNDS) -> bool:
        """Return whether a row is left out of every file of people to mail, for such a ground."""
        return not self.grounds.isdisjoint({*list_grounds(verdict)}.intersection(grounds))

    def removes(self, verdict: Verdict) -> bool:
        """Return whether a row is removed."""
        return self.find_ground(verdict) is not None

    def find_reason(self, verdict: Verdict) -> Reason | None:
        """Return the one reason that leaves a row out; None: it gets mail."""
        ground = self.find_ground(verdict)
        if ground is None:
            return self.find_delay(verdict)
        named = (reason for reason in verdict.reasons if reason.ground is ground)
        return next(named, _FIRST_REASONS.get(ground, verdict.reasons[0]))

    def order_reasons(self, verdict: Verdict) -> tuple[Reason, ...]:
        """Return a row's reasons, that which leaves it out first."""
        first = self.find_reason(verdict)
        found = verdict.reasons if first is not Reason.SILENT else (first, *verdict.reasons)
        return tuple(sorted(found, key=lambda one: one is not first))

    def to_json(self) -> list[str]:
        """Return the chosen grounds' codes in their usual order."""
        chosen = (one.value for one in Ground if one in self.grounds and one not in _STAYS)
        silent = [f"{_SILENT}{self.silent_months}"] if self.silent_months else []
        stays = (code for one, code in _STAYS.items() if one not in self.grounds)
        return [*chosen, *stays, *silent]

    @classmethod
    def from_json(cls, codes: Iterable[str]) -> "CleaningPolicy":
        """Read codes; unknown ones are left out."""
        codes = frozenset(codes)
        usual = (one for one, code in _STAYS.items() if code not in codes)
        chosen = (one for one in Ground if one.value in codes and one not in _STAYS)
        silent = (months for months in SILENT_MONTHS if f"{_SILENT}{months}" in codes)
        return cls(frozenset((*usual, *chosen)), next(silent, None))


def find_ground_action(ground: Ground) -> Action:
    """Return what to do with the rows that a ground removes."""
    return Action.DO_NOT_MAIL if ground in MAIL_GROUNDS else Action.REMOVE


def list_grounds(verdict: Verdict) -> tuple[Ground, ...]:
    """Return every ground that could remove a row, the category's before those of facts."""
    found = {verdict.domain_type.ground, *(reason.ground for reason in verdict.reasons)}
    if verdict.category is Category.BLACK:
        return (Ground.BLACK, *(ground for ground in MAIL_GROUNDS if ground in found))
    if _is_kept(verdict):
        return tuple(ground for ground in NO_MAIL_GROUNDS if ground in found)
    return tuple(ground for ground in Ground if ground in found)


def _is_kept(verdict: Verdict) -> bool:
    """Return whether the account's own lists keep a row."""
    return verdict.category is Category.WHITE and verdict.reasons[0] in OWN_REASONS


@dataclass(frozen=True, slots=True)
class CleaningEffect:
    """Effect of a policy on a project's rows.

    ``by_action`` adds up to all rows; it has no LATER where no row has. ``by_ground`` is how many
    rows each ground would take if it were chosen alone, chosen or not, and ``kept_by_ground`` how
    many of those stay, for a ground that is not chosen. ``lost_by_ground`` and
    ``lost_by_reason`` count each lost row once, by the first chosen ground, which LATER has not,
    and by the reason that leaves it out. ``verdicts`` are what all this was counted from.
    """

    by_action: Mapping[Action, int]
    by_ground: Mapping[Ground, int] = field(default_factory=dict)
    kept_by_ground: Mapping[Ground, int] = field(default_factory=dict)
    lost_by_ground: Mapping[Ground, int] = field(default_factory=dict)
    lost_by_reason: Mapping[Reason, int] = field(default_factory=dict)
    verdicts: tuple[tuple[Verdict, int], ...] = ()

    @property
    def rows(self) -> int:
        """How many rows the project has."""
        return sum(self.by_action.values())

    @property
    def review(self) -> int:
        """How many of the rows that stay are to be reviewed."""
        return self.by_action[Action.REVIEW]

    @property
    def kept(self) -> int:
        """How many rows stay."""
        return self.by_action[Action.KEEP] + self.review

    @property
    def lost(self) -> int:
        """How many rows are left out."""
        return self.rows - self.kept

    @property
    def later(self) -> int:
        """How many rows get no mail this time, and are not removed."""
        return self.by_action.get(Action.LATER, 0)

    @property
    def removed(self) -> int:
        """How many rows are removed, or must not be mailed."""
        return self.lost - self.later

    def word_parts(self, action: Action) -> str:
        """Return the grounds that make up an action, with their rows; else its meaning."""
        parts: Counter[str] = Counter()
        for ground in Ground:
            if ground in self.lost_by_ground and find_ground_action(ground) is action:
                parts[say(_SHORT_WORDS.get(ground, ground.words))] += self.lost_by_ground[ground]
        if not parts or set(parts) == {say(Ground.BLACK.words)}:
            return word_meaning(action)
        return ", ".join(f"{words} {show_count(count)}" for words, count in parts.items())


@dataclass(frozen=True, slots=True)
class Cleaning:
    """A policy and its effect on one project's rows."""

    policy: CleaningPolicy
    effect: CleaningEffect

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """The chosen grounds in order; those that no policy names only if there are such rows."""
        return tuple(
            ground
            for ground in Ground
            if ground in self.policy.grounds
            and (ground not in _STAYS or self.effect.by_ground.get(ground))
        )


def weigh(policy: CleaningPolicy, counts: Iterable[tuple[Verdict, int]]) -> CleaningEffect:
    """Return a policy's effect, from a project's distinct verdicts and their row counts."""
    by_action: Counter[Action] = Counter(dict.fromkeys(ALWAYS_SHOWN, 0))
    by_ground: Counter[Ground] = Counter()
    kept_by_ground: Counter[Ground] = Counter()
    lost_by_ground: Counter[Ground] = Counter()
    lost_by_reason: Counter[Reason] = Counter()
    verdicts = tuple(counts)
    for verdict, count in verdicts:
        action, grounds = policy.find_action(verdict), dict.fromkeys(list_grounds(verdict), count)
        by_action[action] += count
        by_ground.update(grounds)
        if action in (Action.KEEP, Action.REVIEW):
            kept_by_ground.update(grounds)
        ground, reason = policy.find_ground(verdict), policy.find_reason(verdict)
        if ground is not None:
            lost_by_ground[ground] += count
        if reason is not None:
            lost_by_reason[reason] += count
    return CleaningEffect(
        by_action, by_ground, kept_by_ground, lost_by_ground, lost_by_reason, verdicts
    )
