"""Review of a list: the lines that published checklists of list cleaning agree on.

The checklists are of softwareinspect, verimails, sendsure, listclean and bulkemailchecker, read on
2026-11-28.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from winnow.core.lists.cleaning import Cleaning
from winnow.core.lists.silence import find_activity
from winnow.core.meaning.columns import ColumnMeaning, HeadingKind
from winnow.core.meaning.outcomes import Outcome
from winnow.core.meaning.vocabulary import find_headings
from winnow.core.tasks.task import Summary, Task
from winnow.core.verdicts.domain_types import DomainType, Ground
from winnow.core.verdicts.reasons import Reason
from winnow.words import say, translatable

NO_COLUMN = translatable("not in this list: no such column")
_CONSENT = (HeadingKind.CONSENT_IN, HeadingKind.CONFIRMED)
_STATUS = (HeadingKind.MAIL_STATUS, HeadingKind.REASON)
_BOUNCES = (*_STATUS, HeadingKind.BOUNCE, HeadingKind.BOUNCE_REASON, HeadingKind.VERIFIER)
_COMPLAINTS = (*_STATUS, HeadingKind.COMPLAINT)
_NOTHING = "\N{EN DASH}"

Line = tuple[str, str | int, str]
"""What a list is cleaned of, how many rows that are, what was done with them."""


@dataclass(frozen=True, slots=True)
class SaidOfMail:
    """Columns of a list that say who may be mailed, and its rows by the worst that one says."""

    columns: Sequence[ColumnMeaning] = ()
    rows: Mapping[Outcome, int] = field(default_factory=dict)

    def names(self, kinds: Collection[HeadingKind]) -> str:
        """Return the names of the columns of some kinds that count."""
        found = (one for one in self.columns if one.applied and one.kind in kinds)
        return ", ".join(one.name.strip() for one in found)


NOTHING_SAID = SaidOfMail()


def list_review(
    task: Task, summary: Summary, cleaning: Cleaning, said: SaidOfMail
) -> Iterator[Line]:
    """Yield each line; a row may be counted in several."""
    by_ground, policy = cleaning.effect.by_ground, cleaning.policy

    def write(title: str, rows: int, ground: Ground, kinds: Collection[HeadingKind] = ()) -> Line:
        if not rows:
            return _word_none(title, is_known=not kinds or bool(said.names(kinds)))
        return title, rows, say("left out") if ground in policy.grounds else say("kept")

    def count(*grounds: Ground) -> int:
        return sum(by_ground.get(one, 0) for one in grounds)

    noes = count(Ground.UNSUBSCRIBED, Ground.SAID_ELSEWHERE, Ground.SAID_BEFORE)
    complaints = said.rows.get(Outcome.COMPLAINED, 0)
    disposable = summary.by_domain_type.get(DomainType.DISPOSABLE, 0)
    yield write(say("Hard bounces"), count(Ground.BOUNCED), Ground.BOUNCED, _BOUNCES)
    yield write(say("Invalid addresses"), summary.invalid, Ground.BLACK)
    yield write(say("Unsubscribed"), noes, Ground.UNSUBSCRIBED, list(HeadingKind))
    yield write(say("On do-not-mail files"), count(Ground.DO_NOT_MAIL), Ground.DO_NOT_MAIL)
    yield write(say("Complaints"), complaints, Ground.UNSUBSCRIBED, _COMPLAINTS)
    repaired = sum(summary.repaired.values())
    yield say("Typing mistakes"), repaired, say("corrected") if repaired else _NOTHING
    yield write(say("Likely typing mistakes"), count(Ground.MASKED), Ground.MASKED)
    yield write(say("Role accounts"), count(Ground.ROLE_ACCOUNT), Ground.ROLE_ACCOUNT)
    removed = say("removed") if task.request.deduplicate else say("not looked for")
    yield say("Duplicates"), summary.duplicates_removed, removed
    if policy.silent_months:
        silent = cleaning.effect.lost_by_reason.get(Reason.SILENT, 0)
        yield say("Inactive"), silent, say("not mailed this time")
    else:
        done = say("not looked for") if find_activity(task.plan.columns) else say(NO_COLUMN)
        yield say("Inactive"), _NOTHING, done
    yield _word_never(task, said)
    yield write(say("Disposable addresses"), disposable, Ground.BLACK)
    columns, given = task.plan.columns, (one for one in said.columns if one.kind in _CONSENT)
    dated = (one.name.strip() for one in given if one.applied and one.has_days)
    yield _word_kept(say("Source of consent"), find_headings(columns, "consent", "source"))
    yield _word_kept(say("Date of consent"), (*find_headings(columns, "active", "signup"), *dated))


def _word_kept(title: str, names: Iterable[str]) -> Line:
    """Return the line of what a list has in some columns; of headings twice one is named."""
    columns = ", ".join(dict.fromkeys(names))
    return title, _NOTHING, say("kept in {columns}", columns=columns) if columns else say(NO_COLUMN)


def _word_none(title: str, *, is_known: bool) -> Line:
    return (title, 0, _NOTHING) if is_known else (title, _NOTHING, say(NO_COLUMN))


def _word_never(task: Task, said: SaidOfMail) -> Line:
    """Return the line of people who never subscribed; they are mailed unless decided otherwise."""
    title = say("Never subscribed")
    found = [
        (word.count, task.request.mail.find_value(column.name, word.value))
        for column in said.columns
        for word in column.words
        if column.applied and word.outcome is Outcome.NEVER
    ]
    if not found:
        return _word_none(title, is_known=bool(said.names((*_STATUS, *_CONSENT))))
    is_left_out = all(is_mailed is False for _, is_mailed in found)
    return title, sum(rows for rows, _ in found), say("left out") if is_left_out else say("kept")
