"""Bounces: upload and deletion of files."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import streamlit as st

from components.frame.error_boundary import fragment, guard
from components.frame.session import may, show_local
from components.kit.html import escape_markdown
from components.kit.upload import draw_file_zone
from winnow.core.bounces import BounceCounts, BounceImport, MailOutcome
from winnow.core.lists.side_files import NoteKind
from winnow.services.own.own_files import Bounces
from winnow.services.services import Services
from winnow.words import format_day, say, say_many

BOUNCES_URL = "/desk/bounces"
TOKEN_REFRESH_SECONDS = 240  # an upload token is good for ten minutes


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def draw_bounces(desk: Services, account: str) -> None:
    """Draw the drop zone and the files; redrawn before the token expires."""
    st.caption(
        say(
            "Bounce reports of your mail service are the best evidence about your own list; "
            "addresses are stored as hashes until you delete the import."
        )
    )
    if may("bounces.add") and _draw_zone(desk, account):
        st.rerun()
    for one in desk.bounces.list(account):
        _draw_import(one, desk.bounces, account)


def _draw_zone(desk: Services, account: str) -> bool:
    """Draw the drop zone; return whether a file has just arrived."""
    return draw_file_zone(
        url=BOUNCES_URL,
        token=desk.uploads.issue_token(account),
        free_bytes=desk.usage.storage(account).free_bytes,
        key="bounce_zone",
        words={
            "drop": say("Drop bounce files here"),
            "choose": say("or choose files"),
            "limit": say(
                "Exports of Mailchimp, Klaviyo, HubSpot, Amazon SES, SendGrid or Postmark, or any "
                "table with a column that says hard or soft."
            ),
            "file": say("Choose bounce files"),
            "emptyHint": say("Choose a file with at least one bounce."),
            "arrived": say("Reading the bounces."),
        },
    )


def _draw_import(one: BounceImport, bounces: Bounces, account: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(
            f":material/mark_email_unread: **{escape_markdown(one.file_name)}**  \n"
            + " ".join(_list_sentences(one)),
            width="stretch",
        )
        if not may("bounces.remove"):
            return
        delete = guard(partial(bounces.remove, account, one.file_id))
        st.button(say("Delete"), key=f"bounces_delete_{one.file_id}", on_click=delete)


def _list_sentences(one: BounceImport) -> Iterator[str]:
    counts = one.counts
    parts = [
        word(counts.by_outcome[outcome])
        for outcome, word in _PARTS.items()
        if counts.by_outcome.get(outcome)
    ]
    yield ", ".join(parts) + "."
    if counts.first_day and counts.last_day:
        days = {"first": format_day(counts.first_day), "last": format_day(counts.last_day)}
        is_one = counts.first_day == counts.last_day
        yield say("All of {first}.", **days) if is_one else say("From {first} to {last}.", **days)
    yield say("Imported {when}.", when=show_local(one.imported_at))
    yield from _list_losses(counts)


_PARTS: Mapping[MailOutcome, Callable[[int], str]] = {
    MailOutcome.HARD: lambda count: say_many(count, "{count} hard bounce", "{count} hard bounces"),
    MailOutcome.SOFT: lambda count: say_many(count, "{count} soft bounce", "{count} soft bounces"),
    MailOutcome.DELIVERED: lambda count: say_many(count, "{count} delivery", "{count} deliveries"),
}


def _list_losses(counts: BounceCounts) -> Iterator[str]:
    for note in counts.notes:
        name = escape_markdown(note.name) or say("One part")
        if note.kind is NoteKind.SUBSCRIBED:
            yield say("{file} lists subscribed people, so it was not read.", file=name)
        elif note.kind is NoteKind.NO_BOUNCE:
            yield say("{file} has no bounces.", file=name)
    if counts.left_out:
        yield say_many(
            counts.left_out,
            "{count} line has no bounce and was left out.",
            "{count} lines have no bounce and were left out.",
        )
