"""Merging of several lists: the files and their order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from components.clean.opened_list import find_email_column, read_head
from components.clean.waiting import ListLook, draw_discard, draw_look, name_upload
from components.frame.error_boundary import guard
from components.frame.html import escape_markdown
from components.kit.input_summary import describe_head, distinguish_columns
from components.kit.notices import draw_error, draw_loud_notices
from winnow.core.errors import InputError, WinnowError
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.merging import Merge
from winnow.core.lists.upload import Upload
from winnow.services.services import Services
from winnow.words import format_number, say, say_many

_ORDER, _DROPPED = "merge_order", "merge_dropped"
_MOST_NAMED = 5
_LEAST_FILES = 2


@dataclass(frozen=True, slots=True)
class MergeFile:
    """One of the files to be merged; ``column`` is the email column from 0."""

    upload: Upload
    head: Head
    column: int


def keep_dropped(arrived: Sequence[str]) -> None:
    """Let the files that were dropped just now be first, and ticked; no others are."""
    st.session_state[_ORDER], st.session_state[_DROPPED] = list(arrived), tuple(arrived)


def draw_merge(services: Services, account: str, looks: Sequence[ListLook]) -> Upload | None:
    """Draw the files in the order of their rows, and the button.

    Args:
        services: All of them, as the caller may use them.
        account: Whose lists.
        looks: The lists that wait, the newest first. Those with a head can be merged, also
            if the column of addresses is not chosen yet.

    Returns:
        The merged list once it is made, or a list to open by itself.
    """
    looks = [_look_without_header(services, account, look) for look in looks]
    ordered = _sort([look for look in looks if look.head is not None])
    st.caption(
        say(
            "The files are joined in this order; of an address in several files the last row "
            "is kept."
        )
    )
    chosen: list[MergeFile] = []
    is_open = False
    for place, look in enumerate(ordered):
        is_wanted, column = _draw_file(services, account, look, place, ordered)
        if not is_wanted or look.head is None:
            continue
        if column is None:
            is_open = True
        else:
            chosen.append(MergeFile(look.upload, look.head, column))
    opened = None
    for look in looks:
        if look.head is None:
            if draw_look(services, account, look):
                opened = look.upload
            st.caption(say("It is left out of the merged list."))
    is_ready = len(chosen) >= _LEAST_FILES and not is_open
    label = say_many(len(chosen), "Merge {count} file", "Merge {count} files")
    merges = st.button(label, type="primary", key="merge_go", disabled=not is_ready)
    said = say("Next you review the merged list; nothing is cleaned before you start.")
    if is_open:
        said = say("First choose the column with the addresses, or delete that file.")
    elif len(chosen) < _LEAST_FILES:
        said = say("Choose at least two files.")
    st.caption(said)
    return _merge(services, account, chosen) if merges else opened


def _look_without_header(services: Services, account: str, found: ListLook) -> ListLook:
    """Return a look with a doubtful first row read as a row, as merged lists have it."""
    if found.head is None or not found.head.headerless_guess:
        return found
    head = read_head(services, account, found.upload.upload_id, Choices(has_header=False))
    return replace(found, head=head, column=find_email_column(head))


def _merge(services: Services, account: str, files: Sequence[MergeFile]) -> Upload | None:
    """Return the merged list; None after an error, which is drawn."""
    reading, bar = "", st.progress(0.0)

    def report(number: int) -> None:
        nonlocal reading
        reading = escape_markdown(files[number].upload.file_name)
        said = say(
            "Reading {file}: {number} of {count}",
            file=reading,
            number=format_number(number + 1),
            count=format_number(len(files)),
        )
        bar.progress(number / len(files), text=said)

    try:
        read = [(file.upload.upload_id, file.head, file.column) for file in files]
        return services.merges.merge(account, read, report)
    except WinnowError as error:
        bar.empty()
        kept = say("Your files are still here.")
        if isinstance(error, InputError):
            kept = say(
                "This is in {file}. Delete it here, or correct it and drop it again.", file=reading
            )
        draw_error(error, kept=kept)
    return None


def word_merge(merge: Merge) -> str:
    """Return which files a list was merged from, in Markdown."""
    names = [
        say_many(
            file.rows,
            "{file} ({count} row)",
            "{file} ({count} rows)",
            file=escape_markdown(file.file_name),
        )
        for file in merge.files[:_MOST_NAMED]
    ]
    count = len(merge.files)
    if count > _MOST_NAMED:
        names.append(say("{count} more", count=format_number(count - _MOST_NAMED)))
    return say_many(
        count,
        "Merged from {count} file: {files}",
        "Merged from {count} files, in this order: {files}",
        files=", ".join(names),
    )


def _sort(looks: Sequence[ListLook]) -> list[ListLook]:
    """Return the lists in the order chosen before; new ones are last, as they came."""
    known: list[str] = st.session_state.setdefault(_ORDER, [])
    by_id = {look.upload.upload_id: look for look in reversed(looks)}
    ids = [upload_id for upload_id in known if upload_id in by_id]
    ids += [upload_id for upload_id in by_id if upload_id not in ids]
    st.session_state[_ORDER] = ids
    return [by_id[upload_id] for upload_id in ids]


@guard
def _move(upload_id: str, by: int) -> None:
    ids: list[str] = st.session_state[_ORDER]
    place = ids.index(upload_id)
    ids.insert(place + by, ids.pop(place))


def _draw_file(
    services: Services, account: str, look: ListLook, place: int, ordered: Sequence[ListLook]
) -> tuple[bool, int | None]:
    """Draw one file; return whether to merge it, and its email column."""
    upload, head = look.upload, look.head
    assert head is not None  # noqa: S101  # the caller's choice
    upload_id = upload.upload_id
    column = look.column
    dropped: tuple[str, ...] = st.session_state.get(_DROPPED, ())
    with st.container(border=True, key=f"merge_row_{upload_id}"):
        text, buttons = st.columns((3, 2), vertical_alignment="center")
        with text:
            is_wanted = st.checkbox(
                say("File {number}", number=format_number(place + 1)),
                value=upload_id in dropped,
                key=f"merge_take_{upload_id}_{hash(dropped)}",
                persist_state="session",
            )
            read = escape_markdown(describe_head(head, column))
            st.markdown(f"{name_upload(upload)}  \n{read}")
        with buttons, st.container(horizontal=True, horizontal_alignment="right"):
            _draw_move(upload_id, say("Up"), "upward", -1, is_possible=place > 0)
            _draw_move(upload_id, say("Down"), "downward", 1, is_possible=place < len(ordered) - 1)
            draw_discard(services, account, upload)
        if column is None:
            column = _pick_column(head, upload_id)
        draw_loud_notices(head.notices)
    return is_wanted, column


def _draw_move(upload_id: str, label: str, way: str, by: int, *, is_possible: bool) -> None:
    st.button(
        label,
        icon=f":material/arrow_{way}:",
        key=f"merge_{way}_{upload_id}",
        on_click=_move,
        args=(upload_id, by),
        disabled=not is_possible,
    )


def _pick_column(head: Head, upload_id: str) -> int | None:
    names = distinguish_columns(head.columns)
    return st.selectbox(
        say("Which column holds the addresses?"),
        range(len(names)),
        index=None,
        format_func=lambda place: names[place],
        key=f"merge_column_{upload_id}",
        persist_state="session",
        placeholder=say("Choose the column"),
    )
