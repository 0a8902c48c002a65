"""Imported bounces: files added and taken away, and how Winnow's verdicts did on them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

import streamlit as st

from components.html import render_chip
from components.local_time import show_local
from components.markdown import escape_markdown
from components.upload import draw_file_zone
from winnow.core.bounces import BounceCounts, BounceImport, BounceRecord, MailOutcome
from winnow.core.figures import show_count, show_share
from winnow.core.lists.side_files import NoteKind
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.words import format_day, mark, say, say_many

BOUNCES_URL = "/desk/bounces"
REASONS_SHOWN = 4
_ROWS = {
    MailOutcome.HARD: mark("Bounced for good"),
    MailOutcome.SOFT: mark("Bounced for a time"),
    MailOutcome.DELIVERED: mark("Delivered"),
}
_MISSED = (MailOutcome.HARD, Category.WHITE)


def draw_imports(
    imports: Sequence[BounceImport],
    *,
    token: str,
    free_bytes: int,
    remove: Callable[[str], object],
) -> bool:
    """Draw the files and the zone for more; tell whether one just came or went.

    Args:
        imports: Those that there are.
        token: A fresh upload token.
        free_bytes: The largest file that fits now.
        remove: Forgets one by its id.
    """
    has_changed = draw_file_zone(
        url=BOUNCES_URL,
        token=token,
        free_bytes=free_bytes,
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
    for one in imports:
        has_changed |= _draw_import(one, remove)
    return has_changed


def _draw_import(one: BounceImport, remove: Callable[[str], object]) -> bool:
    service = f" ({one.counts.source.words})" if one.counts.source.words else ""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(
            f":material/mark_email_unread: **{escape_markdown(one.file_name)}**{service}  \n"
            + " ".join(_list_sentences(one)),
            width="stretch",
        )
        goes = st.button(
            say("Forget"),
            key=f"bounces_forget_{one.file_id}",
            help=say("Its bounces are then shown nowhere."),
        )
    if goes:
        remove(one.file_id)
    return goes


def _list_sentences(one: BounceImport) -> Iterator[str]:
    counts = one.counts
    parts = [
        word(counts.by_outcome[outcome])
        for outcome, word in _PARTS.items()
        if counts.by_outcome.get(outcome)
    ]
    yield say("It tells of {what}.", what=", ".join(parts))
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
            yield say("{file} lists people you may mail, so it was not read.", file=name)
        elif note.kind is NoteKind.NO_BOUNCE:
            yield say("{file} tells of no bounces.", file=name)
    if counts.left_out:
        yield say_many(
            counts.left_out,
            "{count} line tells of no bounce and was left out.",
            "{count} lines tell of no bounce and were left out.",
        )


def draw_record(record: BounceRecord) -> None:
    """Draw how Winnow's verdicts did: what it said of each outcome, and by which reasons."""
    st.subheader(say("How Winnow did on them"))
    st.html(f'<p class="w-effect">{_word_finding(record)}</p>{_render_table(record)}')
    missed = record.by_reason.get(_MISSED, ())
    if missed:
        with st.expander(say("Why Winnow kept addresses that bounced for good")):
            st.html(_render_reasons(missed))
    st.caption(
        say(
            "Winnow judges domains and the look of an address. It asks no mailbox, so it cannot "
            "know of a person who has left a company or closed an account: such a bounce is no "
            "mistake of a verdict, and your bounce file is the only place that tells of it. The "
            "figures say what the domain lists said on the day of each import, without your own "
            "lists and without DNS. An address in several files counts in each."
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
            "Of {count} address that bounced for good, Winnow removes {share}.",
            "Of {count} addresses that bounced for good, Winnow removes {share}.",
            share=f"<strong>{escape(share)}</strong>",
        )
        sentences.append(text)
    if delivered:
        lost = record.count(MailOutcome.DELIVERED, Category.BLACK)
        sentences.append(
            say_many(
                lost,
                "{count} address that mail reached would be removed.",
                "{count} addresses that mail reached would be removed.",
            )
        )
    return " ".join(sentences)


def _render_table(record: BounceRecord) -> str:
    heads = "".join(f"<th>{render_chip(category)}</th>" for category in Category)
    lines = []
    for outcome, words in _ROWS.items():
        whole = record.count(outcome)
        if not whole:
            continue
        cells = "".join(
            f'<td><span class="w-count">{show_count(record.count(outcome, category))}</span> '
            f'<span class="w-quiet">{show_share(record.count(outcome, category), whole)}</span>'
            "</td>"
            for category in Category
        )
        lines.append(f"<tr><th>{escape(say(words))}</th><td>{show_count(whole)}</td>{cells}</tr>")
    top = f"<tr><th></th><th>{escape(say('Addresses'))}</th>{heads}</tr>"
    label = escape(say("How Winnow did on them"))
    return (
        f'<div class="w-scroll" role="region" tabindex="0" aria-label="{label}">'
        f'<table class="w-record"><thead>{top}</thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _render_reasons(found: Sequence[tuple[Reason, int]]) -> str:
    whole = sum(count for _, count in found)
    lines = [
        f'<li><span class="w-count">{show_count(count)}</span>'
        f"<span>{escape(say(reason.words))}</span>"
        f'<span class="w-meter" aria-hidden="true">'
        f'<span style="width:{100 * count / whole:.2f}%"></span></span></li>'
        for reason, count in found[:REASONS_SHOWN]
    ]
    return f'<ul class="w-lost">{"".join(lines)}</ul>'


def draw_no_imports() -> None:
    """Say what importing bounces is good for."""
    st.caption(
        say(
            "What your mail service tells of bounces is the surest knowledge there is of your own "
            "list. Winnow shows it beside every check and every row, and you can leave out what "
            "bounced. Only scrambled addresses, domains and days are kept, until you forget the "
            "import."
        )
    )
