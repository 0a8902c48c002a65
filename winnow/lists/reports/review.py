"""Review of a list: the lines that published checklists of list cleaning agree on.

The checklists are of softwareinspect, verimails, sendsure, listclean and bulkemailchecker, read on
2026-11-28.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from winnow.core.lists.cleaning import Cleaning
from winnow.core.lists.silence import find_activity
from winnow.core.meaning.columns import ColumnMeaning, HeadingKind
from winnow.core.meaning.outcomes import Outcome
from winnow.core.tasks.task import Summary, Task
from winnow.core.verdicts.domain_types import DomainType, Ground
from winnow.words import mark, say, say_many

NO_COLUMN = mark("not in this list: no such column")
_CONSENT = (HeadingKind.CONSENT_IN, HeadingKind.CONFIRMED)
_STATUS = (HeadingKind.MAIL_STATUS, HeadingKind.REASON)
_BOUNCES = (*_STATUS, HeadingKind.BOUNCE, HeadingKind.BOUNCE_REASON, HeadingKind.VERIFIER)
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
    by_ground = cleaning.effect.by_ground

    def count(*grounds: Ground) -> int:
        return sum(by_ground.get(one, 0) for one in grounds)

    def tell(title: str, rows: int, ground: Ground, kinds: Sequence[HeadingKind] = ()) -> Line:
        if rows:
            is_left_out = ground in cleaning.policy.grounds
            return title, rows, say("left out") if is_left_out else say("kept")
        if kinds and not said.names(kinds):
            return title, _NOTHING, say(NO_COLUMN)
        return title, 0, _NOTHING

    noes = count(Ground.UNSUBSCRIBED, Ground.SAID_ELSEWHERE, Ground.SAID_BEFORE)
    complaints = said.rows.get(Outcome.COMPLAINED, 0)
    disposable = summary.by_domain_type.get(DomainType.DISPOSABLE, 0)
    asked = tuple(HeadingKind)
    yield tell(say("Hard bounces"), count(Ground.BOUNCED), Ground.BOUNCED, _BOUNCES)
    yield tell(say("Invalid addresses"), summary.invalid, Ground.BLACK)
    yield tell(say("Unsubscribed"), noes, Ground.UNSUBSCRIBED, asked)
    yield tell(say("On do-not-mail files"), count(Ground.DO_NOT_MAIL), Ground.DO_NOT_MAIL)
    complaint = (*_STATUS, HeadingKind.COMPLAINT)
    yield tell(say("Complaints"), complaints, Ground.UNSUBSCRIBED, complaint)
    yield _tell_mistakes(
        sum(summary.repaired.values()), tell("", count(Ground.MASKED), Ground.MASKED)
    )
    yield tell(say("Role accounts"), count(Ground.ROLE_ACCOUNT), Ground.ROLE_ACCOUNT)
    removed = say("removed") if task.deduplicate else say("not looked for")
    yield say("Duplicates"), summary.duplicates_removed, removed
    yield _tell_inactive(task, cleaning)
    yield _tell_never(task, said)
    yield tell(say("Disposable addresses"), disposable, Ground.BLACK)
    names = said.names(_CONSENT)
    kept = say("kept in {columns}", columns=names) if names else say(NO_COLUMN)
    yield say("Source and date of consent"), _NOTHING, kept


def _tell_mistakes(repaired: int, doubtful: Line) -> Line:
    """Return the line of typing mistakes: those corrected, and those that may be some."""
    done = [say_many(repaired, "{count} corrected", "{count} corrected")] if repaired else []
    done += [doubtful[2]] if doubtful[1] else []
    return say("Typing mistakes"), repaired + int(doubtful[1]), ", ".join(done) or _NOTHING


def _tell_inactive(task: Task, cleaning: Cleaning) -> Line:
    """Return the line of people who have been silent for long, where the policy asks for them."""
    if cleaning.policy.silent_months:
        return say("Inactive"), cleaning.effect.later, say("not mailed this time")
    has_column = bool(find_activity(task.plan.columns))
    return say("Inactive"), _NOTHING, say("not looked for") if has_column else say(NO_COLUMN)


def _tell_never(task: Task, said: SaidOfMail) -> Line:
    """Return the line of people who never subscribed; they are mailed unless decided otherwise."""
    title = say("Never subscribed")
    found = [
        (word.count, task.options.mail.find_value(column.name, word.value))
        for column in said.columns
        for word in column.words
        if column.applied and word.outcome is Outcome.NEVER
    ]
    if not found:
        has_column = bool(said.names((*_STATUS, *_CONSENT)))
        return (title, 0, _NOTHING) if has_column else (title, _NOTHING, say(NO_COLUMN))
    is_left_out = all(is_mailed is False for _, is_mailed in found)
    return title, sum(rows for rows, _ in found), say("left out") if is_left_out else say("kept")
