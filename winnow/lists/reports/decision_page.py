"""Decision page: a dated HTML page, no script that runs, no requests, prints on A4 and Letter.

It contains addresses because they are asked for; the file's name says so.
"""

from collections.abc import Iterable, Sequence

from winnow.core.decisions import (
    CheckDecision,
    DecisionPage,
    ListDecision,
    PersonAnswer,
    RowDecision,
    ToldProject,
)
from winnow.core.figures import capitalise, cut_text, show_count, show_date, show_moment, show_share
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.facts import Evidence, OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import (
    CATEGORY_MEANINGS,
    Category,
    Verdict,
    name_action,
    name_ground,
    phrase_reasons,
)
from winnow.lists.reports.decision_sections import Grid, Pairs, Part, Sentences
from winnow.lists.reports.person_letter import list_letter_parts
from winnow.lists.reports.templates import open_template
from winnow.words import current_language, say, say_written

THIS_MACHINE = "local"  # the person in local use (core.accounts)


def write_decision_page(page: DecisionPage) -> str:
    """Return the whole document."""
    title, lead, parts = _choose_parts(page)
    return open_template("decision.html").render(
        language=current_language(),
        title=title,
        lead=lead,
        is_letter=isinstance(page.decision, PersonAnswer),
        made=show_moment(page.made_at),
        parts=[*parts, *_tell_making(page)],
        say=say,
    )


def _choose_parts(page: DecisionPage) -> tuple[str, str, Iterable[Part]]:
    decision = page.decision
    match decision:
        case RowDecision():
            email = cut_text(decision.email) or say("(empty)")
            file = decision.project.file_name
            if decision.file_number is not None:
                number = show_count(decision.file_number)
                lead = say("Row {number} of {file}", number=number, file=file)
            else:
                number = show_count(decision.number)
                lead = say("Row {number} of the checked list of {file}", number=number, file=file)
            return say("Why {email} got this verdict", email=email), lead, _tell_row(page, decision)
        case CheckDecision():
            email = cut_text(decision.email) or say("(empty)")
            title = say("Why {email} got this verdict", email=email)
            return title, say("Single check"), _tell_check(page, decision)
        case ListDecision():
            name = decision.project.name
            lead = say("The list {file}", file=decision.project.file_name)
            return say("What was decided about {name}", name=name), lead, _tell_list(page, decision)
        case PersonAnswer():
            title = say("What we hold about {email}", email=decision.address)
            return title, "", list_letter_parts(page, decision)


def _tell_row(page: DecisionPage, row: RowDecision) -> Iterable[Part]:
    yield _tell_verdict(row.verdict, row.own, _tell_fate(page))
    yield from _tell_evidence(page, row.project.data_version)
    yield _tell_project(row.project)
    yield _tell_meaning()


def _tell_check(page: DecisionPage, check: CheckDecision) -> Iterable[Part]:
    yield _tell_verdict(check.verdict, None, "")
    yield from _tell_evidence(page, check.data_version)
    yield _tell_meaning()


def _tell_verdict(verdict: Verdict, own: OwnEntry | None, fate: str) -> Part:
    beneath, kind = verdict.overruled, verdict.domain_type
    return Pairs(
        say("The decision"),
        [
            (say("Recommended"), _name_decision(verdict)),
            (
                say("Kind of domain"),
                capitalise(say(kind.words)),
            ),
            (say("Why"), phrase_reasons(verdict.reasons)),
            (say("Decided by"), _tell_own(own)),
            (say("Without your lists"), "" if beneath is None else _name_decision(beneath)),
            (say("When the list is cleaned"), fate),
        ],
    )


def _name_decision(verdict: Verdict) -> str:
    meaning = say(CATEGORY_MEANINGS[verdict.category])
    return f"{name_action(verdict.category)} ({meaning})"


def _tell_own(own: OwnEntry | None) -> str:
    if own is None:
        return ""
    said = say("your lists, by the entry {entry}", entry=show_pattern(own.pattern))
    if own.added_on is not None:
        said = say("{said}, added on {day}", said=said, day=show_date(own.added_on))
    return say("{said}. Note: {note}", said=said, note=own.note) if own.note else said


def _tell_fate(page: DecisionPage) -> str:
    chosen = _name_chosen(page)
    if page.goes_for is None:
        return say("The row is kept. Removed are: {chosen}.", chosen=chosen)
    reason = say(Reason(page.goes_for).words)
    return say(
        "The row is removed for: {reason}. Removed are: {chosen}.", reason=reason, chosen=chosen
    )


def _name_chosen(page: DecisionPage) -> str:
    chosen = _name_policy(page.policy)
    if not page.policy_name:
        return chosen
    return say("{chosen} (policy “{name}”)", chosen=chosen, name=page.policy_name)


def _name_policy(codes: Sequence[str]) -> str:
    chosen = ", ".join(name_ground(ground) for ground in Ground if ground.value in codes)
    return chosen or say("nothing")


def _tell_evidence(page: DecisionPage, judged_by: str) -> Iterable[Part]:
    is_later = judged_by != page.data_version
    remark = (
        say(
            "The list was judged by the domain data {then}; this is what the data of today, "
            "{now}, says. What DNS and registries said is from then.",
            then=judged_by,
            now=page.data_version,
        )
        if is_later
        else ""
    )
    head = (say("What was found"), say("Source"), say("Date"), say("Entry"))
    dates = frozenset({2})
    itself = say("the address itself")
    evidence = [_cite(found, itself) for found in page.evidence]
    yield Grid(say("Evidence"), head, evidence, remark, dates=dates)
    weighed = [_cite(found, "") for found in page.not_black]
    yield Grid(say("Checked, but not enough to remove"), head, weighed, dates=dates)


def _cite(found: Evidence, otherwise: str) -> tuple[str, str, str, str]:
    when = ""
    if found.asked_at is not None:
        when = show_moment(found.asked_at)
    elif found.dated is not None:
        when = show_date(found.dated)
    source = say(found.source) if found.source else otherwise
    return _say_finding(found), source, when, cut_text(found.matched or "")


def _say_finding(found: Evidence) -> str:
    sentence = found.sentence.say()
    if not found.note:
        return sentence
    return f"{sentence} {say('Note: {note}', note=found.note)}"


def _tell_project(project: ToldProject) -> Part:
    digest = say("SHA-256 of the list")
    return Pairs(
        say("The list"),
        [
            (say("Project"), project.name),
            (say("File"), project.file_name),
            (say("Submitted"), show_moment(project.submitted_at)),
            (say("Judged"), show_moment(project.judged_at)),
            (say("Deleted on"), show_moment(project.kept_until)),
            (say("Domain data"), project.data_version),
            (digest, project.list_sha256),
        ],
        codes=frozenset({digest}),
    )


def _tell_list(page: DecisionPage, told: ListDecision) -> Iterable[Part]:
    whole = told.rows_out
    counts = {category: told.by_category.get(category.value, 0) for category in Category}
    yield Grid(
        say("The decision"),
        (say("Recommended"), say("Meaning"), say("Rows"), say("Share")),
        [
            (
                name_action(category),
                say(CATEGORY_MEANINGS[category]),
                show_count(count),
                show_share(count, whole),
            )
            for category, count in counts.items()
        ],
        numbers=frozenset({2, 3}),
    )
    yield _tell_what_goes(page, told)
    yield Grid(
        say("Why rows are removed"),
        (say("Reason"), say("Rule"), say("Rows"), say("Share")),
        [_tell_reason(code, count, told.lost) for code, count in _by_size(told.lost_by_reason)],
        say("Each removed row counts once; shares are of these rows."),
        frozenset({2, 3}),
    )
    yield Grid(
        say("All findings"),
        (say("Reason"), say("Rule"), say("Rows"), say("Share")),
        [_tell_reason(code, count, whole) for code, count in _by_size(told.by_reason)],
        say("A row may have several reasons."),
        frozenset({2, 3}),
    )
    yield _tell_project(told.project)
    digest = say("SHA-256 of the checked list")
    yield Pairs(
        say("The result"),
        [(digest, told.result_sha256)],
        say(
            "Of the checked list as Winnow keeps it. A download with rows left out, or in another "
            "form, is another file."
        ),
        frozenset({digest}),
    )
    yield Sentences(
        say("Assumed, repaired, asked"), [say_written(one) for one in told.notices], is_list=True
    )
    yield _tell_meaning()


def _tell_what_goes(page: DecisionPage, told: ListDecision) -> Part:
    return Pairs(
        say("What is removed"),
        [
            (say("Rows in the file"), show_count(told.rows_in)),
            (say("Duplicates removed"), show_count(told.duplicates_removed)),
            (say("Rows in the result"), show_count(told.rows_out)),
            (say("of them invalid"), show_count(told.invalid)),
            (say("Chosen to be removed"), _name_chosen(page)),
            (say("Kept rows"), show_count(told.kept)),
            (say("Removed rows"), show_count(told.lost)),
            (say("Rows to review that stay"), show_count(told.review)),
        ],
        say("A row that your own list keeps stays, whatever is chosen."),
    )


def _tell_reason(code: str, count: int, whole: int) -> tuple[str, str, str, str]:
    reason = Reason(code)
    return (
        capitalise(say(reason.words)),
        say(reason.rule),
        show_count(count),
        show_share(count, whole),
    )


def _by_size(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _tell_meaning() -> Part:
    return Sentences(
        say("What this means, and what it does not"),
        (
            say("Keep means that no problem is known. It does not promise that mail arrives."),
            say("Review means that a person should decide: the signs deserve a second look."),
            say(
                "Remove is based on the evidence above; no mailbox was asked and no mail was sent."
            ),
        ),
        is_list=True,
    )


def _tell_making(page: DecisionPage) -> Iterable[Part]:
    is_letter = isinstance(page.decision, PersonAnswer)
    yield Pairs(
        say("This page"),
        [
            (say("Made"), show_moment(page.made_at)),
            (
                say("Made by") if is_letter else say("Made and chosen by"),
                name_person(page.made_by),
            ),
            (say("Domain data today"), page.data_version),
            (say("Program"), f"Winnow {page.version}"),
        ],
    )


def name_person(person: str) -> str:
    """Return who made a page."""
    return say("this machine's user") if person == THIS_MACHINE else person
