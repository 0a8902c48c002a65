"""Bounces: upload and deletion of files, and the verdicts on bounced addresses."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from html import escape

import streamlit as st

from components.frame.error_boundary import fragment, guard
from components.frame.session import may, show_local
from components.kit.charts import draw_counts
from components.kit.html import escape_markdown
from components.kit.upload import draw_file_zone
from winnow.core.bounces import BounceCounts, BounceImport, BounceRecord, MailOutcome
from winnow.core.figures import show_count, show_share
from winnow.core.lists.side_files import NoteKind
from winnow.core.verdicts.verdict import Category, name_action
from winnow.services.own.own_files import Bounces
from winnow.services.services import Services
from winnow.words import format_day, mark, say, say_many

BOUNCES_URL = "/desk/bounces"
TOKEN_REFRESH_SECONDS = 240  # an upload token is good for ten minutes
_ROWS = {
    MailOutcome.HARD: mark("Hard bounce"),
    MailOutcome.SOFT: mark("Soft bounce"),
    MailOutcome.DELIVERED: mark("Delivered"),
}
_MISSED = (MailOutcome.HARD, Category.WHITE)


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def draw_bounces(desk: Services, account: str) -> None:
    """Draw the drop zone, the files and their figures; redrawn before the token expires."""
    st.caption(
        say(
            "Bounce reports of your mail service are the best evidence about your own list; "
            "addresses are stored as hashes until you delete the import."
        )
    )
    if may("bounces.add") and _draw_zone(desk, account):
        st.rerun()
    imports = desk.bounces.list(account)
    for one in imports:
        _draw_import(one, desk.bounces, account)
    if imports:
        _draw_record(desk.bounces.measure(account))


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
    service = f" ({one.counts.source.words})" if one.counts.source.words else ""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(
            f":material/mark_email_unread: **{escape_markdown(one.file_name)}**{service}  \n"
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


def _draw_record(record: BounceRecord) -> None:
    """Draw the verdicts on the addresses of each outcome, and their reasons."""
    st.subheader(say("Winnow's verdicts on these addresses"))
    st.html(f'<p class="w-effect">{_word_finding(record)}</p>')
    _draw_outcomes(record)
    missed = record.by_reason.get(_MISSED, ())
    if missed:
        with st.expander(say("Why Winnow kept addresses with a hard bounce")):
            reasons = [(say(reason.words), count) for reason, count in missed]
            whole = sum(count for _, count in missed)
            draw_counts(say("Reason"), reasons, whole, key="bounce_reasons")
    st.caption(
        say(
            "Verdicts by the domain lists on the day of the import, without DNS and your lists; "
            "Winnow asks no mailbox, so it cannot know closed accounts."
        )
    )


def _word_finding(record: BounceRecord) -> str:
    hard = record.count(MailOutcome.HARD)
    delivered = record.count(MailOutcome.DELIVERED)
    sentences = []
    if hard:
        share = show_share(record.count(MailOutcome.HARD, Category.BLACK), hard)
        text = say_many(
            hard,
            "Of {count} address with a hard bounce, Winnow removes {share}.",
            "Of {count} addresses with a hard bounce, Winnow removes {share}.",
            share=f"<strong>{escape(share)}</strong>",
        )
        sentences.append(text)
    if delivered:
        lost = record.count(MailOutcome.DELIVERED, Category.BLACK)
        sentences.append(
            say_many(
                lost,
                "{count} address with delivered mail would be removed.",
                "{count} addresses with delivered mail would be removed.",
            )
        )
    return " ".join(sentences)


def _draw_outcomes(record: BounceRecord) -> None:
    """Draw the verdicts on the addresses of each outcome: counts and shares."""
    import pandas as pd

    outcomes = [one for one in _ROWS if record.count(one)]
    data: dict[str, list[object]] = {
        "outcome": [say(_ROWS[one]) for one in outcomes],
        "addresses": [record.count(one) for one in outcomes],
    }
    for category in Category:
        counts = [(record.count(one, category), record.count(one)) for one in outcomes]
        data[name_action(category)] = [
            f"{show_count(count)}  {show_share(count, whole)}" for count, whole in counts
        ]
    column = st.column_config
    with st.container(key="bounce_record"):
        st.dataframe(
            pd.DataFrame(data),
            hide_index=True,
            alt=say("Winnow's verdicts on these addresses"),
            column_config={
                "outcome": column.TextColumn(say("Outcome")),
                "addresses": column.NumberColumn(say("Addresses"), format="localized"),
            },
        )
