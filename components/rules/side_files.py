"""Do-not-mail files and bounces: drop zone, each file with its counts, deletion."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import streamlit as st

from components.frame.error_boundary import fragment, guard
from components.frame.html import escape_markdown
from components.frame.session import may, show_local
from components.kit.upload import TOKEN_REFRESH_SECONDS, draw_file_zone
from winnow.core.lists.side_files import (
    FileCounts,
    FileNote,
    MailOutcome,
    NoteKind,
    OwnFile,
    OwnFileKind,
)
from winnow.services.services import Services
from winnow.words import format_day, format_number, say, say_many

DO_NOT_MAIL_URL, BOUNCES_URL = "/desk/do-not-mail", "/desk/bounces"
_OUTCOMES: Mapping[MailOutcome, Callable[[int], str]] = {
    MailOutcome.HARD: lambda count: say_many(count, "{count} hard bounce", "{count} hard bounces"),
    MailOutcome.SOFT: lambda count: say_many(count, "{count} soft bounce", "{count} soft bounces"),
    MailOutcome.DELIVERED: lambda count: say_many(count, "{count} delivery", "{count} deliveries"),
    MailOutcome.COMPLAINED: lambda count: say_many(
        count, "{count} complaint", "{count} complaints"
    ),
    MailOutcome.UNSUBSCRIBED: lambda count: say_many(
        count, "{count} unsubscribed", "{count} unsubscribed"
    ),
}


def draw_suppressions(services: Services, account: str, owner: str, list_id: str) -> None:
    """Draw the do-not-mail files of one list, and the drop zone for more.

    Args:
        services: All of them, as the caller may use them.
        account: Whose list.
        owner: ``"uploads"`` or ``"projects"``.
        list_id: The list's id there.
    """
    row_counts: Mapping[str, int] | None = None
    if owner == "uploads":
        files = services.own_files.list(account, OwnFileKind.DO_NOT_MAIL, list_id)
    else:
        files = services.own_files.list_of_task(account, list_id)
        row_counts = services.own_files.count_rows(account, list_id) if files else None
    with st.container(key="do_not_mail", gap="small"):
        title = say("Do-not-mail files (optional)")
        if files:
            title = say_many(len(files), "{count} do-not-mail file", "{count} do-not-mail files")
        st.html(f'<p class="w-understood">{title}</p>')
        for file in files:
            _draw_suppression(services, account, file, row_counts)
        words = {
            "drop": say("Drop do-not-mail files here"),
            "limit": say(
                "Text, CSV, Excel, Parquet or a zip from Mailchimp. Only hashes are stored."
            ),
            "file": say("Choose do-not-mail files"),
            "emptyHint": say("Choose a file with at least one address or domain."),
            "arrived": say("Reading the addresses."),
        }
        url, key = f"{DO_NOT_MAIL_URL}/{owner}/{list_id}", f"do_not_mail_{list_id}"
        if may(services.own_files.add_to_task) and draw_file_zone(
            services, account, url, words, key=key
        ):
            st.rerun()
        st.caption(
            say(
                "Addresses and domains in these files are left out of the cleaned list, even if "
                "your lists keep them."
            )
        )


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def draw_bounces(services: Services, account: str) -> None:
    """Draw the drop zone and the imports of bounces; redrawn before the token expires."""
    st.caption(
        say(
            "Bounce reports of your mail service are the best evidence about your own list; "
            "addresses are stored as hashes until you delete the import."
        )
    )
    words = {
        "drop": say("Drop bounce files here"),
        "limit": say(
            "Exports of Mailchimp, Klaviyo, HubSpot, Amazon SES, SendGrid or Postmark, or any "
            "table with a column that says hard or soft."
        ),
        "file": say("Choose bounce files"),
        "emptyHint": say("Choose a file with at least one bounce."),
        "arrived": say("Reading the bounces."),
    }
    if may(services.own_files.add) and draw_file_zone(
        services, account, BOUNCES_URL, words, key="bounce_zone"
    ):
        st.rerun()
    for one in services.own_files.list(account, OwnFileKind.BOUNCES):
        title = f":material/mark_email_unread: **{escape_markdown(one.file_name)}**"
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(f"{title}  \n{' '.join(_describe_import(one))}", width="stretch")
            if may(services.own_files.remove):
                delete = guard(partial(services.own_files.remove, account, one.file_id))
                st.button(say("Delete"), key=f"bounces_delete_{one.file_id}", on_click=delete)


def _draw_suppression(
    services: Services, account: str, file: OwnFile, row_counts: Mapping[str, int] | None
) -> None:
    """Draw one do-not-mail file with its counts and the button that removes it.

    ``row_counts`` are the rows of a finished list by file; a file that is lost has none.
    """
    rows = name = escape_markdown(file.file_name)
    if row_counts is not None and file.file_id in row_counts:
        rows = say_many(
            row_counts[file.file_id],
            "{count} row is on {file}",
            "{count} rows are on {file}",
            file=name,
        )
    counts = " ".join(describe_counts(file.counts))
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f":material/block: **{rows}**  \n{counts}", width="stretch")
        is_removed = may(services.own_files.remove) and st.button(
            say("Remove"),
            key=f"do_not_mail_remove_{file.file_id}",
            help=say("The rows that it excludes return to the list."),
        )
    if is_removed:
        services.own_files.remove(account, file.file_id)
        st.rerun()  # the whole page: its counts depend on the files
    if row_counts is not None and file.file_id not in row_counts:
        st.error(
            say(
                "{file} can no longer be read, so it excludes no one. Delete it and add it again.",
                file=name,
            )
        )


def describe_counts(counts: FileCounts) -> Iterator[str]:
    """Yield what a do-not-mail file has, and what was left out and why."""
    parts = []
    if counts.addresses:
        parts.append(say_many(counts.addresses, "{count} address", "{count} addresses"))
    if counts.domains:
        parts.append(say_many(counts.domains, "{count} domain", "{count} domains"))
    if counts.wildcards:
        parts.append(say_many(counts.wildcards, "{count} pattern", "{count} patterns"))
    yield say("It has {what}.", what=", ".join(parts))
    columns = [note.name for note in counts.notes if note.kind is NoteKind.COLUMN]
    if columns:
        names = ", ".join(map(escape_markdown, dict.fromkeys(columns)))
        yield say("Read from the column {names}.", names=names)
    yield from _word_notes(counts.notes)
    if counts.left_out:
        lines = ", ".join(map(format_number, counts.left_out_lines[:3]))
        text = say_many(
            counts.left_out,
            "{count} line is neither an address nor a domain and was left out",
            "{count} lines are neither an address nor a domain and were left out",
        )
        yield f"{text} ({say('line {lines}', lines=lines)})." if lines else f"{text}."


def word_outcomes(counts: FileCounts) -> str:
    """Return how many addresses have each outcome."""
    found = ((word, counts.by_outcome.get(outcome, 0)) for outcome, word in _OUTCOMES.items())
    return ", ".join(word(count) for word, count in found if count)


def _describe_import(one: OwnFile) -> Iterator[str]:
    """Yield the counts of an import, its days, and what was left out and why."""
    counts = one.counts
    yield f"{word_outcomes(counts)}."
    if counts.first_day and counts.last_day:
        first, last = format_day(counts.first_day), format_day(counts.last_day)
        if first == last:
            yield say("All of {first}.", first=first)
        else:
            yield say("From {first} to {last}.", first=first, last=last)
    yield say("Imported {when}.", when=show_local(one.created_at))
    yield from _word_notes(counts.notes)
    if counts.left_out:
        yield say_many(
            counts.left_out,
            "{count} line has no bounce and was left out.",
            "{count} lines have no bounce and were left out.",
        )


def _word_notes(notes: Sequence[FileNote]) -> Iterator[str]:
    """Yield which parts of a file were not read, or have nothing."""
    for note in notes:
        name = escape_markdown(note.name) or say("One part")
        if note.kind is NoteKind.SUBSCRIBED:
            yield say("{file} lists subscribed people, so it was not read.", file=name)
        elif note.kind is NoteKind.NOTHING_IN:
            yield say("{file} has no address.", file=name)
        elif note.kind is NoteKind.NO_BOUNCE:
            yield say("{file} has no bounces.", file=name)
