"""Do-not-mail files of a list: upload, counts, removal."""

from collections.abc import Iterator, Sequence

import streamlit as st

from components.frame.session import may
from components.kit.html import escape_markdown
from components.kit.upload import draw_file_zone
from winnow.core.lists.side_files import NamedCounts, NoteKind, Suppression
from winnow.services.own.own_files import Suppressions
from winnow.services.services import Services
from winnow.words import format_number, say, say_many

DO_NOT_MAIL_URL = "/desk/do-not-mail"


def draw_suppressions(desk: Services, account: str, owner: str, list_id: str) -> None:
    """Draw the files of one list, and the drop zone for more.

    Args:
        desk: The services.
        account: Whose list.
        owner: ``"uploads"`` or ``"projects"``.
        list_id: The list's id there.
    """
    service = desk.suppressions
    find = service.list_of_upload if owner == "uploads" else service.list_of_task
    files = find(account, list_id)
    with st.container(key="do_not_mail", gap="small"):
        st.html(f'<p class="w-understood">{_title(files)}</p>')
        for file in files:
            _draw_file(service, account, file)
        if may("suppressions.add_to_task") and _draw_zone(desk, account, f"{owner}/{list_id}"):
            st.rerun()
        st.caption(
            say(
                "Addresses and domains in these files are left out of the cleaned list, even if "
                "your lists keep them."
            )
        )


def _draw_zone(desk: Services, account: str, list_path: str) -> bool:
    """Draw the drop zone; return whether a file has just arrived."""
    return draw_file_zone(
        url=f"{DO_NOT_MAIL_URL}/{list_path}",
        token=desk.uploads.issue_token(account),
        free_bytes=desk.usage.storage(account).free_bytes,
        key=f"do_not_mail_{list_path.partition('/')[2]}",
        words={
            "drop": say("Drop do-not-mail files here"),
            "choose": say("or choose files"),
            "limit": say(
                "Text, CSV, Excel, Parquet or a zip from Mailchimp. Only hashes are stored."
            ),
            "file": say("Choose do-not-mail files"),
            "emptyHint": say("Choose a file with at least one address or domain."),
            "large": say("{file} is too large: it has {size}, and there is room for {free}."),
            "arrived": say("Reading the addresses."),
        },
    )


def _title(files: Sequence[Suppression]) -> str:
    """Return the heading of the files: how many there are and how many rows are on them."""
    if not files:
        return say("Do-not-mail files (optional)")
    return say_many(len(files), "{count} do-not-mail file", "{count} do-not-mail files")


def _draw_file(service: Suppressions, account: str, file: Suppression) -> None:
    """Draw one file with its counts and the button that removes it."""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        name = escape_markdown(file.file_name)
        st.markdown(
            f":material/block: **{_word_rows(file, name)}**  \n{_word_counts(file.counts)}",
            width="stretch",
        )
        is_removed = may("suppressions.remove") and st.button(
            say("Remove"),
            key=f"do_not_mail_remove_{file.file_id}",
            help=say("The rows that it excludes return to the list."),
        )
    if is_removed:
        service.remove(account, file.file_id)
        st.rerun()  # the whole page: its counts depend on the files
    if file.is_lost:
        st.error(
            say(
                "{file} can no longer be read, so it excludes no one. Delete it and add it again.",
                file=name,
            )
        )


def _word_rows(file: Suppression, name: str) -> str:
    if file.rows is None:
        return name
    return say_many(file.rows, "{count} row is on {file}", "{count} rows are on {file}", file=name)


def _word_counts(counts: NamedCounts) -> str:
    """Return in words how many rows a file matched, and what was left out and why."""
    return " ".join(_list_sentences(counts))


def _list_sentences(counts: NamedCounts) -> Iterator[str]:
    domains = counts.domains + counts.wildcards
    parts = []
    if counts.addresses:
        parts.append(say_many(counts.addresses, "{count} address", "{count} addresses"))
    if domains:
        parts.append(say_many(domains, "{count} domain", "{count} domains"))
    yield say("It has {what}.", what=", ".join(parts))
    columns = [note.name for note in counts.notes if note.kind is NoteKind.COLUMN]
    if columns:
        names = ", ".join(map(escape_markdown, dict.fromkeys(columns)))
        yield say("Read from the column {names}.", names=names)
    for note in counts.notes:
        name = escape_markdown(note.name)
        if note.kind is NoteKind.SUBSCRIBED:
            yield say("{file} lists subscribed people, so it was not read.", file=name)
        elif note.kind is NoteKind.NOTHING_IN:
            yield say("{file} has no address.", file=name or say("One part"))
    if counts.left_out:
        lines = ", ".join(map(format_number, counts.left_out_lines[:3]))
        text = say_many(
            counts.left_out,
            "{count} line is neither an address nor a domain and was left out",
            "{count} lines are neither an address nor a domain and were left out",
        )
        yield f"{text} ({say('line {lines}', lines=lines)})." if lines else f"{text}."
