"""Report page: a finished project's counts as one HTML page, no script, no requests, prints well.

It contains no address: what looks like one in a file's or a column's name is left out.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.figures import capitalise, show_count, show_moment, show_share
from winnow.core.lists.cleaning import Cleaning
from winnow.core.lists.silence import word_silence
from winnow.core.release import VERSION
from winnow.core.tasks.task import Summary, Task
from winnow.core.verdicts.domain_types import DomainType, Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, name_action
from winnow.lists.reports.review import SaidOfMail, list_review
from winnow.lists.reports.templates import open_template
from winnow.words import current_language, say, say_many, translatable

MOST_DOMAINS = 25
_METHOD = (
    translatable(
        "Each address is read by the rules of the mail standards (RFC 5321 and 5322). What breaks "
        "them cannot be an address and is removed."
    ),
    translatable(
        "Each domain is looked up in dated lists of disposable services, forwarding services, "
        "mail providers, public and academic bodies. One doubtful list alone never removes it."
    ),
    translatable("Keep means that no problem is known. It does not promise that mail arrives."),
    translatable("Winnow does not ask mailboxes: only a sent mail shows whether one exists."),
    translatable("Review is for forwarding services, likely typing mistakes and suspicious signs."),
)
_ADDRESS = re.compile(r"[^\s<>(),;:'\"]*@[^\s<>(),;:'\"]*")


@dataclass(frozen=True, slots=True)
class Section:
    """A table, or a list of sentences; ``Rows`` and ``Share`` are columns of figures.

    With ``whole``, which shares are of, a row is a name, its explanation, the class of its bar and
    its count; without rows such a table is not drawn.
    """

    title: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str | int]] = ()
    whole: int | None = None
    remark: str = ""
    texts: Sequence[str] = ()


def write_report_page(
    task: Task, summary: Summary, made_at: datetime, cleaning: Cleaning, said: SaidOfMail
) -> str:
    """Return a completed task's counts as a whole HTML document; its first page is the review.

    Args:
        task: As it is to be shown.
        summary: Its counts.
        made_at: When the report is made, in UTC.
        cleaning: What is removed.
        said: What the list's columns say of mail.
    """
    counts = [*cleaning.effect.by_action.items()]
    parts = ", ".join(f"{show_count(count)} {name_action(one)}" for one, count in counts)
    finding = say_many(
        summary.rows_out, "{count} row: {parts}", "{count} rows: {parts}", parts=parts
    )
    origin = say(
        "{file}, cleaned {cleaned}. Report of {made}, Winnow {version}.",
        file=_hide_addresses(task.file_name),
        cleaned=show_moment(task.completed_at or task.submitted_at),
        made=show_moment(made_at),
        version=VERSION,
    )
    return open_template("report.html").render(
        title=_hide_addresses(task.project_name),
        origin=origin,
        finding=finding,
        counts=counts,
        language=current_language(),
        sections=list(_list_sections(task, summary, cleaning, said)),
    )


def _list_sections(
    task: Task, summary: Summary, cleaning: Cleaning, said: SaidOfMail
) -> Iterable[Section]:
    whole, policy = summary.rows_out, cleaning.policy
    grounds = [say(ground.words) for ground in cleaning.grounds]
    chosen = ", ".join([*grounds, *word_silence(policy.silent_months)]) or say("nothing")
    forbids = Ground.DO_NOT_MAIL in cleaning.grounds
    review = list_review(task, summary, cleaning, said)
    yield Section(
        say("Review of the list"),
        (say("What lists are cleaned of"), say("Rows"), say("What was done")),
        [(title, rows, _hide_addresses(done)) for title, rows, done in review],
        remark=say(
            "Of {all} rows in the file, {kept} are to be mailed. A row may be in several lines.",
            all=show_count(summary.rows_in),
            kept=show_count(cleaning.effect.kept),
        ),
    )
    yield Section(
        say("What to do"),
        (say("Action"), say("Rows"), say("Share"), say("Meaning")),
        [
            (
                name_action(action),
                count,
                show_share(count, whole),
                cleaning.effect.word_parts(action),
            )
            for action, count in cleaning.effect.by_action.items()
        ],
        remark=say(_CHOSEN_FORBIDDEN if forbids else _CHOSEN, chosen=chosen),
    )
    if task.request.merge is not None:
        yield Section(
            say("Merged from"),
            (say("File"), say("Rows")),
            [(_hide_addresses(file.file_name), file.rows) for file in task.request.merge.files],
            remark=say("In the order of their rows, counted before duplicates are removed."),
        )
    if summary.repaired:
        yield Section(
            say("What was repaired"),
            (say("What was wrong"), say("Rows")),
            [
                (capitalise(say(kind.words)), summary.repaired[kind.value])
                for kind in RepairKind
                if kind.value in summary.repaired
            ],
        )
    lost = sorted(cleaning.effect.lost_by_reason.items(), key=lambda item: -item[1])
    yield Section(
        say("Why rows are left out"),
        (say("Reason"), say("Rule")),
        [
            _word_reason(reason, count, _word_source(reason, cleaning, said))
            for reason, count in lost
        ],
        cleaning.effect.lost,
        say("Each row left out counts once; shares are of these rows."),
    )
    types = sorted(summary.by_category_and_type, key=lambda entry: -entry[2])
    yield Section(
        say("Domain types"),
        (say("Domain type"), say("Meaning")),
        [
            (say(kind), say(DomainType(kind).meaning), category, count)
            for category, kind, count in types
        ],
        whole,
    )
    reasons = sorted(summary.by_reason.items(), key=lambda item: -item[1])
    yield Section(
        say("Reasons"),
        (say("Reason"), say("Rule")),
        [_word_reason(Reason(code), count) for code, count in reasons],
        whole,
        say("A row may have several reasons."),
    )
    domains = summary.top_domains[:MOST_DOMAINS]
    yield Section(
        say("Largest domains"),
        (say("Domain"), say("Action")),
        [
            (domain, name_action(Category(category)), category, count)
            for domain, category, count in domains
        ],
        whole,
    )
    version = say("Version of the domain lists: {version}.", version=summary.data_version)
    yield Section(say("Method"), texts=(*map(say, _METHOD), version))
    if task.notices:
        yield Section(
            say("Notes on this list"),
            texts=[_hide_addresses(say(notice.text)) for notice in task.notices],
        )


_CHOSEN = translatable("Chosen: {chosen}. Rows that your lists always keep are kept.")
_CHOSEN_FORBIDDEN = translatable(
    "Chosen: {chosen}. Rows that your lists always keep are kept, except do-not-mail rows."
)


def _word_source(reason: Reason, cleaning: Cleaning, said: SaidOfMail) -> str:
    """Return the columns of the list that give a reason to all its rows, if any do."""
    rows = sum(count for verdict, count in cleaning.effect.verdicts if reason in verdict.reasons)
    columns = _hide_addresses(said.name_sources(reason))
    if reason.ground is not Ground.BOUNCED or not columns or said.by_reason.get(reason) != rows:
        return ""
    return say("The list says so, in {columns}.", columns=columns)


def _word_reason(reason: Reason, count: int, source: str = "") -> tuple[str, str, str, int]:
    return reason.label, source or say(reason.rule), "none", count


def _hide_addresses(text: str) -> str:
    """Return a text with a word in the place of each address, the same in every language."""
    return _ADDRESS.sub("(address)", text)
