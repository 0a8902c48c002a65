"""Your lists: the form that adds entries, the table of entries, import and export."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from components.frame.error_boundary import fragment, guard
from components.frame.session import may, set_widget, show_local_date
from components.kit.notices import TABLE_HELP, draw_refusal
from components.kit.upload import TOKEN_REFRESH_SECONDS, draw_file_zone
from components.rules.own_changes import (
    draw_changes,
    draw_reach,
    name_always,
    note_change,
    note_latest_change,
)
from winnow.core.own_lists.entries import EntryPage, ImportReport, ListEntry
from winnow.core.own_lists.patterns import show_pattern
from winnow.core.verdicts.verdict import Category, name_action
from winnow.services.own.own_lists import NOTE_MAX_CHARACTERS, OwnListBook
from winnow.services.services import Services
from winnow.words import format_number, say, say_many

ENTRIES_PER_PAGE = 100
OWN_LISTS_URL = "/desk/own-lists"
_IMPORTED, _ROUND = "own_imported", "own_entries_round"
_FORM, _TABLE = "own_form", "own_table"  # places of refusals
_MOST_LINES_SHOWN = 20


def draw_your_lists(services: Services, account: str) -> None:
    """Draw the form, the entries, import and export, and the latest changes."""
    book = services.own_lists
    st.markdown(
        say(
            "Addresses and domains that are always kept, reviewed or removed, at once in all "
            "projects; an address counts before its domain."
        )
    )
    if may(book.add):
        _draw_form(services, account)
    total = book.list(account, limit=1).total
    with st.container():  # what is below keeps its place: the import its file
        if total:
            _draw_entries(book, account, total)
        elif may(book.add):
            st.markdown(say("Your lists are empty. Add a domain or an address, or import a file."))
        else:
            st.markdown(say("The lists are empty."))
    _draw_files(services, account, has_entries=total > 0)
    draw_changes(book, account)


def _draw_form(services: Services, account: str) -> None:
    """Draw the form that adds an entry, and the rows that it names; a refused one stays in it."""
    state, book = st.session_state, services.own_lists

    @guard
    def press() -> None:
        category = Category(state["own_category"])
        with note_change(book, account, _FORM):
            book.add(account, state["own_pattern"], category, state["own_note"] or None)
            state["own_pattern"] = state["own_note"] = ""

    with st.container(horizontal=True, vertical_alignment="bottom"):
        pattern = st.text_input(
            say("Domain or address"),
            placeholder=say("ana@example.com, *.example.com, press@*"),
            key="own_pattern",
            width=340,
        )
        st.selectbox(
            say("What to do"),
            list(Category),
            format_func=name_always,
            key="own_category",
            width=220,
        )
        st.text_input(
            say("Note"),
            max_chars=NOTE_MAX_CHARACTERS,
            placeholder=say("Why"),
            key="own_note",
            width=220,
        )
        st.button(say("Add"), type="primary", key="own_add", on_click=press)
    draw_reach(services, account, pattern)
    draw_refusal(_FORM)


def _draw_entries(book: OwnListBook, account: str, total: int) -> None:
    """Draw one page of entries as a table whose cells can be changed, its rows deleted."""
    state = st.session_state
    search = st.text_input(
        say_many(total, "Search {count} entry", "Search {count} entries"),
        type="search",
        key="own_search",
        placeholder=say("Part of a domain, address or note"),
        width=300,
    )
    page_key = f"own_page_{search}"
    read = partial(book.list, account, search=search or "", limit=ENTRIES_PER_PAGE)
    page = read(offset=(int(state.get(page_key) or 1) - 1) * ENTRIES_PER_PAGE)
    if not page.entries:  # of a page that no longer exists
        page = read()
    if not page.entries:
        st.caption(say("No entry matches."))
        return
    key = f"own_entries_{state.setdefault(_ROUND, 0)}_{page_key}_{state.get(page_key)}"

    draw_refusal(_TABLE)
    _draw_table(page, key)
    if may(OwnListBook.change):
        st.caption(say(TABLE_HELP))
    edits = state[key]
    if edits["edited_rows"] or edits["deleted_rows"]:
        with note_change(book, account, _TABLE):
            _apply(book, account, page.entries, edits)
        state[_ROUND] += 1
        st.rerun()  # a table without edits
    pages = -(-page.matching // ENTRIES_PER_PAGE)
    if pages > 1:
        set_widget(page_key, min(int(state.get(page_key) or 1), pages))
        st.pagination(pages, key=page_key)


def _draw_table(page: EntryPage, key: str) -> None:
    actions = [name_always(category) for category in Category]
    frame = {
        "pattern": [show_pattern(entry.pattern) for entry in page.entries],
        "action": [name_always(entry.category) for entry in page.entries],
        "note": [entry.note for entry in page.entries],
        "added": [show_local_date(entry.added_at) for entry in page.entries],
    }
    column = st.column_config
    st.data_editor(
        frame,
        key=key,
        num_rows="delete" if may(OwnListBook.change) else "fixed",
        hide_index=True,
        disabled=["pattern", "added"] if may(OwnListBook.change) else True,
        column_config={
            "pattern": column.TextColumn(say("Domain or address"), width="medium"),
            "action": column.SelectboxColumn(say("What to do"), options=actions, required=True),
            "note": column.TextColumn(say("Note"), max_chars=NOTE_MAX_CHARACTERS),
            "added": column.TextColumn(say("Added")),
        },
        alt=say("Entries of your lists, the newest first"),
    )


def _apply(
    book: OwnListBook, account: str, entries: Sequence[ListEntry], edits: Mapping[str, Any]
) -> None:
    """Make the changes of an edited table."""
    actions = {name_always(category): category for category in Category}
    for row, cells in edits["edited_rows"].items():
        category = actions.get(cells.get("action", ""))
        note = (cells["note"] or "") if "note" in cells else None
        book.change(account, entries[int(row)].pattern, category=category, note=note)
    if deleted := edits["deleted_rows"]:
        book.remove(account, [entries[row].pattern for row in deleted])


def _draw_files(services: Services, account: str, *, has_entries: bool) -> None:
    """Draw import with its report, and export."""
    title = say("Import or export") if may(services.own_lists.import_file) else say("Export")
    with st.expander(title, icon=":material/swap_vert:"):
        if may(services.own_lists.import_file):
            _draw_import(services, account)
        st.download_button(
            say("Export your lists"),
            data=lambda: services.own_lists.export_csv(account),
            file_name="own-lists.csv",
            mime="text/csv",
            icon=":material/download:",
            disabled=not has_entries,
            on_click="ignore",
            key="own_export",
        )
    for file_id in st.session_state.pop(_IMPORTED, ()):
        if (report := services.own_lists.find_report(file_id)) is not None:
            _draw_report(report)


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def _draw_import(services: Services, account: str) -> None:
    """Draw the drop zone for files; redrawn before the token expires."""
    category = st.selectbox(
        say("What to do with them"),
        list(Category),
        index=list(Category).index(Category.BLACK),
        format_func=name_action,
        key="own_file_category",
    )
    words = {
        "drop": say("Drop files with addresses or domains here"),
        "limit": say("Text, CSV, Excel or zip; an exported file keeps its own actions."),
        "file": say("Choose files with addresses or domains"),
        "emptyHint": say("Choose a file with at least one address or domain."),
        "arrived": say("Reading the addresses."),
    }
    url = f"{OWN_LISTS_URL}/{Category(category or Category.BLACK)}"
    if arrived := draw_file_zone(services, account, url, words, key="own_import"):
        st.session_state[_IMPORTED] = arrived
        reports = map(services.own_lists.find_report, arrived)
        if any(report and report.added + report.changed for report in reports):
            note_latest_change(services.own_lists, account)
        st.rerun()  # the whole page: the entries above are the former ones


def _draw_report(report: ImportReport) -> None:
    """Draw the counts of an import, and each line left out with its reason."""
    done = say(
        "{added} added, {changed} changed.",
        added=format_number(report.added),
        changed=format_number(report.changed),
    )
    if not report.refused_count:
        st.success(done)
        return
    lines = [
        say("- Line {line}: {problem}.", line=format_number(line.line), problem=line.problem)
        for line in report.refused[:_MOST_LINES_SHOWN]
    ]
    more = report.refused_count - len(lines)
    if more > 0:
        lines.append(say_many(more, "- and {count} more line", "- and {count} more lines"))
    left_out = say_many(
        report.refused_count, "{count} line was left out:", "{count} lines were left out:"
    )
    st.warning("\n".join([f"{done} {left_out}", "", *lines]))
