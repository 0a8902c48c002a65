"""What went wrong or was assumed, said plainly in place: what, where, how to mend."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from components.markdown import escape_markdown
from winnow.core.errors import BadField, InputError, WinnowError
from winnow.core.figures import count_things
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.task import DNS_SILENT, DNS_USE, Notice, Task

_MOST_LINES_SHOWN = 12
_LOUD = frozenset({DNS_SILENT})
_FIELD_WORDS: Mapping[str, str] = {
    "pattern": "The entry",
    "note": "The note",
    "file": "The file",
    "name": "The name",
    "project_name": "The project name",
}
"""What people call the fields that they fill in on these pages."""


def draw_error(error: WinnowError, *, kept: str = "") -> None:
    """Draw an error of the product. ``kept`` says what is not lost."""
    st.error(write_error(error, kept=kept))


def write_error(error: WinnowError, *, kept: str = "") -> str:
    """Return an error of the product in words, as Markdown."""
    place = ""
    if isinstance(error, InputError) and error.line is not None:
        place = f" (line {error.line:,})" if not _names_line(error.detail, error.line) else ""
    parts = [
        f"**{escape_markdown(_word_detail(error))}**{place}",
        escape_markdown(error.hint or ""),
        kept,
    ]
    return "  \n".join(part for part in parts if part)


def _word_detail(error: WinnowError) -> str:
    if isinstance(error, BadField) and error.field in _FIELD_WORDS:
        return f"{_FIELD_WORDS[error.field]} {error.problem}."
    return error.detail


def draw_problem(problem: Mapping[str, Any]) -> None:
    """Draw the problem details of a failed task."""
    detail = str(problem.get("detail") or problem.get("title") or "The list was not processed.")
    hint = str(problem.get("hint") or "")
    st.error(f"**{escape_markdown(detail)}**  \n{escape_markdown(hint)}".rstrip())


def draw_loud_notices(notices: Sequence[Notice]) -> None:
    """Draw what changes how far a result can be trusted, so that nobody misses it."""
    for notice in notices:
        if notice.code in _LOUD:
            st.warning(escape_markdown(notice.text))


def draw_silent_dns(tasks: Sequence[Task]) -> None:
    """Say before a list is cleaned that DNS gave no answer for the last one, if so.

    ``tasks`` are the account's, the newest first.
    """
    last = next((task for task in tasks if any(n.code == DNS_USE for n in task.notices)), None)
    if last is not None and any(notice.code == DNS_SILENT for notice in last.notices):
        st.warning(
            f"DNS is on, but most of **{escape_markdown(last.project_name)}**, the last list that "
            "asked it, got no answer. Unless DNS answers again, domains that do not exist or take "
            "no mail are not found. Check the connection of this machine first."
        )


def draw_notices(notices: Sequence[Notice], file_format: FileFormat) -> None:
    """Draw what was assumed or repaired, with the lines it concerns, or the rows."""
    notices = [notice for notice in notices if notice.code not in _LOUD]
    if not notices:
        return
    label = f"{count_things(len(notices), 'note')} about this file"
    with st.expander(label, icon=":material/info:", expanded=False):
        st.markdown("\n".join(f"- {word_notice(notice, file_format)}" for notice in notices))


def word_notice(notice: Notice, file_format: FileFormat) -> str:
    """Return a note in Markdown, with the lines it concerns but one that it names itself."""
    text = escape_markdown(notice.text)
    count = max(notice.count, len(notice.lines))
    if not notice.lines or (count == 1 and _names_line(notice.text, notice.lines[0])):
        return text
    shown = ", ".join(f"{line:,}" for line in notice.lines[:_MOST_LINES_SHOWN])
    more = f" and {count - _MOST_LINES_SHOWN:,} more" if count > _MOST_LINES_SHOWN else ""
    unit = "Line" if file_format.traits.is_text else "Row"
    return f"{text} {unit}{'' if count == 1 else 's'} {shown}{more}."


def _names_line(text: str, line: int) -> bool:
    return re.search(rf"\b(line|row) {line:,}(?!,?\d)", text, re.IGNORECASE) is not None
