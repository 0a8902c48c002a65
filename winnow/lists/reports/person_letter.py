"""Letter to the owner of an address: where it is stored, why, how long, and what was sent out.

It answers what Article 15 of the GDPR asks about what Winnow keeps; what Winnow cannot know is
left as lines to fill in.
"""

from collections.abc import Iterable

from winnow.core.decisions import (
    DecisionPage,
    PersonAnswer,
    PersonEntry,
    PersonFile,
    PersonProject,
    PersonRow,
)
from winnow.core.figures import show_count, show_date, show_moment
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.verdict import Category, Verdict, name_action, phrase_reasons
from winnow.lists.reports.decision_sections import Blanks, Grid, Pairs, Part, Sentences
from winnow.words import mark, say, say_many


def list_letter_parts(page: DecisionPage, answer: PersonAnswer) -> Iterable[Part]:
    """Return the letter's parts in order."""
    yield Blanks("", (say("From (name and postal address):"), say("To:")))
    yield Sentences("", list(_open_letter(page, answer)))
    yield Grid(
        say("Lists in which your address stands"),
        (
            say("List"),
            say("File"),
            say("Rows"),
            say("Our decision"),
            say("Judged on"),
            say("Deleted on"),
        ),
        [_tell_project(found) for found in answer.projects],
        numbers=frozenset({2}),
        dates=frozenset({4, 5}),
    )
    for found in answer.projects:
        yield from _tell_rows(found)
    yield Grid(
        say("Our own lists"),
        (say("Entry"), say("What it says"), say("Note"), say("Added")),
        [_tell_entry(entry) for entry in answer.entries],
        say("Entries that we made by hand or from a file. They are kept until we delete them."),
    )
    yield Grid(
        say("Do-not-mail and bounce files"),
        (say("What it says"), say("File"), say("Date"), say("With the list")),
        [_tell_file(file) for file in answer.files],
        say("Of these files we store only hashes, from which no address can be read."),
        dates=frozenset({2}),
    )
    yield Sentences(
        "",
        [
            say(
                "Changes of these lists that name your address, kept so that they can be undone "
                "(the last 20 changes of all): {moments}.",
                moments="; ".join(map(show_moment, answer.changes)),
            )
        ]
        if answer.changes
        else [],
    )
    yield Grid(
        say("Single checks of your address"),
        (say("Checked"), say("Result"), say("Why")),
        [
            (
                show_moment(check.checked_at),
                name_action(check.verdict.category),
                _why(check.verdict),
            )
            for check in answer.checks
        ],
        say("Kept until we clear them, the newest 200 of all checks."),
    )
    yield Sentences(say("What left our machine"), list(_tell_network(answer)), is_list=True)
    yield Sentences(say("How long it is kept"), list(_tell_keeping(answer)), is_list=True)
    yield Grid(
        say("What was not searched"),
        (say("List"), say("Deleted on")),
        [
            (
                one.name,
                show_moment(one.kept_until),
            )
            for one in page.unsearched
        ],
        say("These lists are not checked yet, or could not be. Your address may be in them."),
    )
    yield Sentences(
        say("Your rights"),
        (
            say("You may ask us to correct this, to delete it, or to stop using it."),
            say("You may object to its use, for advertising at any time and without a reason."),
            say("You may complain to the data protection authority where you live."),
        ),
        is_list=True,
    )
    yield Blanks(
        say("To be added by us"),
        (
            say("What we use your address for, and on which legal ground:"),
            say("Where we have it from:"),
            say("Who else received it:"),
            say("Whom to ask about data protection:"),
            say("Place, date, signature:"),
        ),
    )


def _open_letter(page: DecisionPage, answer: PersonAnswer) -> Iterable[str]:
    yield say("You asked what we hold about your address {email}.", email=answer.address)
    yield say_many(
        page.searched,
        "On {moment} we searched what Winnow, the program that checks our mailing lists on our own "
        "computer, keeps for us: {count} checked list, our own lists of addresses and domains, and "
        "the single checks it remembers.",
        "On {moment} we searched what Winnow, the program that checks our mailing lists on our own "
        "computer, keeps for us: {count} checked lists, our own lists of addresses and domains, "
        "and the single checks it remembers.",
        moment=show_moment(page.made_at),
    )
    if not (answer.projects or answer.entries or answer.checks or answer.files or answer.changes):
        yield say("Your address is in none of them.")
    else:
        rows = sum(found.row_count for found in answer.projects)
        lists = say_many(len(answer.projects), "{count} list", "{count} lists")
        found = say_many(
            rows,
            "It is in {count} row of {lists}.",
            "It is in {count} rows of {lists}.",
            lists=lists,
        )
        is_whole = all(one.row_count == len(one.rows) for one in answer.projects)
        yield f"{found} {say('This is everything.')}" if is_whole else found


def _tell_project(found: PersonProject) -> tuple[str, ...]:
    project = found.project
    decisions = {
        name_action(row.verdict.category): None
        for row in found.rows
        if row.is_email and row.verdict is not None
    }
    return (
        project.name,
        project.file_name,
        show_count(found.row_count),
        ", ".join(decisions) or say("none: another address in the row decided"),
        show_date(project.judged_at.date()),
        show_date(project.kept_until.date()),
    )


def _tell_rows(found: PersonProject) -> Iterable[Part]:
    for row in found.rows:
        yield Pairs(
            _name_row(row, found.project.name),
            [*((name, value) for name, value in row.cells), *_tell_decision(row)],
        )
    if found.row_count > len(found.rows):
        left = found.row_count - len(found.rows)
        yield Sentences(
            "",
            (
                say_many(
                    left,
                    "{count} more row of {name} holds the address.",
                    "{count} more rows of {name} hold the address.",
                    name=found.project.name,
                ),
            ),
        )


def _name_row(row: PersonRow, name: str) -> str:
    if not row.number:
        return say("A row of {name} that was removed as a duplicate", name=name)
    text = mark("Row {number} of {name}")
    if row.verdict is None:
        text = mark("Row {number} of {name}, removed as a duplicate")
    return say(text, number=show_count(row.number), name=name)


def _tell_decision(row: PersonRow) -> Iterable[tuple[str, str]]:
    if row.is_email and row.verdict is not None:
        yield say("Our decision"), name_action(row.verdict.category)
        yield say("Why"), _why(row.verdict)


def _why(verdict: Verdict) -> str:
    return phrase_reasons(verdict.reasons)


def _tell_entry(entry: PersonEntry) -> tuple[str, ...]:
    action = name_action(Category(entry.category))
    what = (
        say("this address: {action}", action=action)
        if entry.names_the_address
        else say("every address of the domain: {action}", action=action)
    )
    return show_pattern(entry.pattern), what, entry.note, show_date(entry.added_on)


def _tell_file(file: PersonFile) -> tuple[str, ...]:
    dated = "" if file.dated is None else show_date(file.dated)
    return file.said.say(), file.source, dated, file.project or say("all lists")


def _tell_network(answer: PersonAnswer) -> Iterable[str]:
    domain = answer.address.rpartition("@")[2]
    yield say("Your address: never, in none of these checks.")
    for found in answer.projects:
        name = found.project.name
        if found.dns_asked_at is not None:
            yield say(
                "For {name}: the name of the domain {domain}, to a DNS server, on {moment}.",
                name=name,
                domain=domain,
                moment=show_moment(found.dns_asked_at),
            )
        if found.registry is not None:
            asked = found.registry_asked_at
            yield say(
                "For {name}: the name of the domain {domain}, to the registry {registry}, on "
                "{moment}.",
                name=name,
                domain=domain,
                registry=found.registry,
                moment="" if asked is None else show_moment(asked),
            )
        if found.dns_asked_at is None and found.registry is None:
            if found.was_network_on:
                yield say(
                    "For {name}: at most the name of the domain {domain}.", name=name, domain=domain
                )
            else:
                yield say("For {name}: nothing.", name=name)
    if answer.checks:
        yield say(
            "For the single checks: at most the name of the domain {domain}, to a DNS server or "
            "its registry.",
            domain=domain,
        )


def _tell_keeping(answer: PersonAnswer) -> Iterable[str]:
    for found in answer.projects:
        yield say(
            "{name}: the list as we uploaded it, and the checked list, until {moment}; then both "
            "are deleted by themselves.",
            name=found.project.name,
            moment=show_moment(found.project.kept_until),
        )
    if answer.projects:
        yield say(
            "Duplicates of a row are removed from the checked list; the list as we uploaded "
            "it has them until the same day."
        )
    yield say("Copies that we downloaded or saved elsewhere are not covered by this search.")
