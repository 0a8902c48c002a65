"""Review of a list: the lines that published checklists of list cleaning agree on.

The checklists are of softwareinspect, verimails, sendsure, listclean and bulkemailchecker, read on
2026-11-28.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from winnow.core.figures import show_count
from winnow.core.lists.cleaning import SAID_REASONS, Cleaning, CleaningPolicy, list_grounds
from winnow.core.lists.silence import find_activity
from winnow.core.meaning.columns import ColumnMeaning, HeadingKind
from winnow.core.meaning.outcomes import Outcome
from winnow.core.meaning.vocabulary import find_headings
from winnow.core.tasks.task import Summary, Task
from winnow.core.verdicts.domain_types import DomainType, Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Action, Verdict
from winnow.words import say, translatable

NO_COLUMN = translatable("not in this list: no such column")
_CONSENT = (HeadingKind.CONSENT_IN, HeadingKind.CONFIRMED)
_STATUS = (HeadingKind.MAIL_STATUS, HeadingKind.REASON)
_BOUNCES = (*_STATUS, HeadingKind.BOUNCE, HeadingKind.BOUNCE_REASON, HeadingKind.VERIFIER)
_COMPLAINTS = (*_STATUS, HeadingKind.COMPLAINT)
_NOTHING = "\N{EN DASH}"
_DONE = {
    Action.KEEP: translatable("kept"),
    Action.REVIEW: translatable("to review"),
    Action.LATER: translatable("not mailed this time"),
    **dict.fromkeys((Action.DO_NOT_MAIL, Action.REMOVE), translatable("left out")),
}

Counts = Collection[tuple[Verdict, int]]
Line = tuple[str, str | int, str]
"""What a list is cleaned of, how many rows that are, what was done with them."""


@dataclass(frozen=True, slots=True)
class SaidOfMail:
    """Columns of a list that say who may be mailed, its rows by the worst, and by reason."""

    columns: Collection[ColumnMeaning] = ()
    rows: Mapping[Outcome, Counts] = field(default_factory=dict)
    by_reason: Mapping[Reason, int] = field(default_factory=dict)

    def names(self, kinds: Collection[HeadingKind]) -> str:
        """Return the names of the columns of some kinds that count."""
        found = (one for one in self.columns if one.applied and one.kind in kinds)
        return ", ".join(one.name.strip() for one in found)

    def name_sources(self, reason: Reason) -> str:
        """Return the names of the columns that have a value which is such a reason."""
        outcomes = {one for one, given in SAID_REASONS.items() if given is reason}
        found = (
            one.name.strip()
            for one in self.columns
            if one.applied and not outcomes.isdisjoint(word.outcome for word in one.words)
        )
        return ", ".join(found)


NOTHING_SAID = SaidOfMail()


def list_review(
    task: Task, summary: Summary, cleaning: Cleaning, said: SaidOfMail
) -> Iterator[Line]:
    """Yield each line; a row may be counted in several."""
    policy, effect = cleaning.policy, cleaning.effect

    def write(title: str, found: Counts, kinds: Collection[HeadingKind] = ()) -> Line:
        rows = sum(count for _, count in found)
        if not rows:
            return _word_none(title, is_known=not kinds or bool(said.names(kinds)))
        return title, rows, _word_done(_count_done(policy, found))

    def take(*grounds: Ground) -> Counts:
        return [one for one in effect.verdicts if not {*grounds}.isdisjoint(list_grounds(one[0]))]

    def list_type(kind: DomainType) -> Counts:
        return [one for one in effect.verdicts if one[0].domain_type is kind]

    noes = take(Ground.UNSUBSCRIBED, Ground.SAID_ELSEWHERE, Ground.SAID_BEFORE)
    yield write(say("Hard bounces"), take(Ground.BOUNCED), _BOUNCES)
    yield write(say("Invalid addresses"), list_type(DomainType.INVALID))
    yield write(say("Unsubscribed"), noes, list(HeadingKind))
    yield write(say("On do-not-mail files"), take(Ground.DO_NOT_MAIL))
    yield write(say("Complaints"), said.rows.get(Outcome.COMPLAINED, ()), _COMPLAINTS)
    repaired = sum(summary.repaired.values())
    yield say("Typing mistakes"), repaired, say("corrected") if repaired else _NOTHING
    yield write(say("Likely typing mistakes"), take(Ground.MASKED))
    yield write(say("Role accounts"), take(Ground.ROLE_ACCOUNT))
    removed = say("removed") if task.request.deduplicate else say("not looked for")
    yield say("Duplicates"), summary.duplicates_removed, removed
    if policy.silent_months:
        silent = effect.lost_by_reason.get(Reason.SILENT, 0)
        yield say("Inactive"), silent, say("not mailed this time")
    else:
        done = say("not looked for") if find_activity(task.plan.columns) else say(NO_COLUMN)
        yield say("Inactive"), _NOTHING, done
    yield _word_never(task, said, _count_done(policy, said.rows.get(Outcome.NEVER, ())))
    yield write(say("Disposable addresses"), list_type(DomainType.DISPOSABLE))
    columns, given = task.plan.columns, (one for one in said.columns if one.kind in _CONSENT)
    dated = (one.name.strip() for one in given if one.applied and one.has_days)
    yield _word_kept(say("Source of consent"), find_headings(columns, "consent", "source"))
    yield _word_kept(say("Date of consent"), (*find_headings(columns, "active", "signup"), *dated))


def _count_done(policy: CleaningPolicy, found: Counts) -> Counter[str]:
    """Return how many of some rows a policy keeps, and leaves out, by its words."""
    done: Counter[str] = Counter()
    for verdict, count in found:
        done[say(_DONE[policy.find_action(verdict)])] += count
    return done


def _word_done(done: Counter[str]) -> str:
    """Return what is done with rows; with their numbers, where that differs."""
    found = [one for one in dict.fromkeys(map(say, _DONE.values())) if done[one]]
    return ", ".join(f"{show_count(done[one])} {one}" if len(found) > 1 else one for one in found)


def _word_kept(title: str, names: Iterable[str]) -> Line:
    """Return the line of what a list has in some columns; of headings twice one is named."""
    columns = ", ".join(dict.fromkeys(names))
    return title, _NOTHING, say("kept in {columns}", columns=columns) if columns else say(NO_COLUMN)


def _word_none(title: str, *, is_known: bool) -> Line:
    return (title, 0, _NOTHING) if is_known else (title, _NOTHING, say(NO_COLUMN))


def _word_never(task: Task, said: SaidOfMail, done: Counter[str]) -> Line:
    """Return the line of people who never subscribed, by what is done with the undecided ones."""
    title = say("Never subscribed")
    for column in said.columns:
        for word in column.words:
            is_mailed = task.request.mail.find_value(column.name, word.value)
            if column.applied and word.outcome is Outcome.NEVER and is_mailed is not None:
                done[say("kept") if is_mailed else say("left out")] += word.count
    if not done:
        return _word_none(title, is_known=bool(said.names((*_STATUS, *_CONSENT))))
    return title, done.total(), _word_done(done)
