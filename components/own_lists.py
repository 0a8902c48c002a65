"""The own lists: the form that adds to them, their entries, what they do."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from components.error_boundary import guard
from components.html import render_named
from components.local_time import show_local_date
from components.notices import draw_error
from winnow.core.errors import BadField
from winnow.core.own_lists.entries import EntryPage, ListEntry, OwnReach
from winnow.core.own_lists.patterns import PatternKind, show_pattern
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import SHAPES
from winnow.words import format_number, mark, say, say_many

NOTE_MAX_CHARACTERS = 200
_ALWAYS = {
    Category.WHITE: mark("{shape} always keep"),
    Category.GREY: mark("{shape} always review"),
    Category.BLACK: mark("{shape} always remove"),
}
_KIND_WORDS = {
    PatternKind.ADDRESS: mark("one address"),
    PatternKind.DOMAIN: mark("this domain, not its subdomains"),
    PatternKind.WILDCARD: mark("all subdomains, not the domain itself"),
}


def _name_choice(category: Category) -> str:
    return say(_ALWAYS[category], shape=SHAPES[category])


def draw_entry_form(add: Callable[[str, Category, str], object]) -> None:
    """Draw the form that adds an entry; what is refused stays in it, with the reason."""
    state = st.session_state

    def press() -> None:
        try:
            add(state["own_pattern"], Category(state["own_category"]), state["own_note"])
        except BadField as error:
            state["own_refused"] = error
            return
        state["own_pattern"] = state["own_note"] = ""

    with (
        st.form("own_new", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input(
            say("Domain or address"),
            placeholder=say("example.com, ana@example.com or *.example.com"),
            key="own_pattern",
            width=340,
        )
        st.selectbox(
            say("What to do"),
            list(Category),
            format_func=_name_choice,
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
        st.form_submit_button(
            say("Add to my lists"), type="primary", key="own_add", on_click=guard(press)
        )
    if "own_refused" in state:
        draw_error(state.pop("own_refused"))


def draw_no_entries() -> None:
    """Say what to do while the lists are empty."""
    st.markdown(
        say(
            "Your lists are empty. Add a domain or an address above, import a file, or choose "
            "“Always keep” at any checked address."
        )
    )


def draw_reach(reach: OwnReach) -> None:
    """Draw what the lists do, in one line."""
    if not reach.projects_open:
        return
    if not reach.rows_changed:
        st.markdown(say("Your lists change nothing in your projects so far."))
        return
    rows = say_many(reach.rows_changed, "{count} row", "{count} rows")
    projects = say_many(reach.projects_changed, "{count} project", "{count} projects")
    st.markdown(
        say("Your lists change **{rows}** in **{projects}**.", rows=rows, projects=projects)
    )
    if reach.projects_measured < reach.projects_open:
        st.caption(
            say(
                "Counted in your newest {some} of {all} projects.",
                some=format_number(reach.projects_measured),
                all=format_number(reach.projects_open),
            )
        )


def draw_entry_filter(total: int) -> tuple[str, Category | None]:
    """Draw search and filter; return what is searched for and the one list to show."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            say_many(total, "Search {count} entry", "Search {count} entries"),
            type="search",
            key="own_search",
            placeholder=say("Part of a domain, address or note"),
            width=300,
        )
        chosen = st.pills(
            say("Show"), list(Category), format_func=_name_choice, key="own_filter", wrap=True
        )
    return search or "", None if chosen is None else Category(chosen)


def draw_entries(
    page: EntryPage,
    hits: Mapping[str, int],
    change: Callable[[str, Category], None],
    remove: Callable[[Sequence[str]], object],
) -> None:
    """Draw one page of entries; what is changed or removed is done before the page runs again."""
    if not page.entries:
        st.caption(say("Nothing on your lists matches that."))
        return
    for entry in page.entries:
        _draw_entry(entry, hits.get(entry.pattern, 0), change, remove)


def _draw_entry(
    entry: ListEntry,
    hits: int,
    change: Callable[[str, Category], None],
    remove: Callable[[Sequence[str]], object],
) -> None:
    key = f"own_list_{entry.pattern}_{entry.category.value}"

    def choose() -> None:
        change(entry.pattern, Category(st.session_state[key]))

    with st.container(border=True):
        name, when, choice, off = st.columns([5, 4, 3, 2], vertical_alignment="center")
        name.html(
            render_named(
                show_pattern(entry.pattern),
                entry.note or say(_KIND_WORDS[entry.kind]),
                is_quiet=not entry.note,
            )
        )
        rows = say_many(hits, "Decides {count} row", "Decides {count} rows")
        added = say("Added {day}", day=show_local_date(entry.added_at))
        when.caption(f"{rows}  \n{added}")
        choice.selectbox(
            say(
                "What to do with {name}", name=entry.pattern
            ),  # for screen readers, which would speak escapes; not drawn
            list(Category),
            index=list(Category).index(entry.category),
            format_func=_name_choice,
            key=key,
            on_change=guard(choose),
            label_visibility="collapsed",
        )
        off.button(
            say("Take off"),
            key=f"own_remove_{entry.pattern}",
            on_click=guard(partial(remove, [entry.pattern])),
            width="stretch",
        )


def draw_paging(page: EntryPage, per_page: int, key: str) -> None:
    """Draw the pages where there is more than one; ``key`` holds the number chosen."""
    pages = -(-page.matching // per_page)
    if pages > 1:
        st.session_state[key] = min(int(st.session_state.get(key) or 1), pages)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(
                say_many(
                    page.matching, "{count} entry, newest first", "{count} entries, newest first"
                ),
                width="stretch",
            )
            st.pagination(pages, key=key)
