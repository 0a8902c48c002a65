"""Own lists: what this account always keeps, reviews or removes."""

from functools import partial

import streamlit as st

from components.bounces import draw_imports, draw_no_imports, draw_record
from components.error_boundary import fragment
from components.notices import draw_error
from components.own_changes import draw_changes, note_change, tell_change
from components.own_list_files import draw_files, draw_report
from components.own_lists import (
    draw_entries,
    draw_entry_filter,
    draw_entry_form,
    draw_no_entries,
    draw_paging,
    draw_reach,
)
from components.sign_in import read_identity
from winnow.core.errors import WinnowError
from winnow.core.own_lists.entries import EntryPage
from winnow.core.verdicts.verdict import Category
from winnow.wiring import services
from winnow.words import say

ENTRIES_PER_PAGE = 25
TOKEN_REFRESH_SECONDS = 240  # an upload token is good for ten minutes
desk = services()
account = read_identity().account
book = desk.own_lists
newest_change, undo = partial(book.changes, account, 1), partial(book.undo, account)
noted = note_change(newest_change)
add, remove = noted(partial(book.add, account)), noted(partial(book.remove, account))


@noted
def change(pattern: str, category: Category) -> None:
    """Move an entry to another list."""
    book.change(account, pattern, category=category)


def find_page(search: str, category: Category | None, number: int) -> EntryPage:
    """Return a page of entries, the first where there is none of this number any more."""
    start = (number - 1) * ENTRIES_PER_PAGE
    page = book.list(
        account, search=search, category=category, offset=start, limit=ENTRIES_PER_PAGE
    )
    return page if page.entries or number == 1 else find_page(search, category, 1)


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def draw_bounces() -> None:
    """Take bounce files; drawn anew from time to time so that its token never gets old."""
    st.header(say("Bounces"))
    imports = desk.bounces.list(account)
    if not imports:
        draw_no_imports()
    if draw_imports(
        imports,
        token=desk.uploads.issue_token(account),
        free_bytes=desk.usage.storage(account).free_bytes,
        remove=partial(desk.bounces.remove, account),
    ):
        st.rerun()
    if imports:
        draw_record(desk.bounces.measure(account))


def draw_all(total: int) -> None:
    """Draw what the lists do, and their entries."""
    with st.spinner(say("Looking through your projects")):
        reach = desk.own_effects.measure(account)
    draw_reach(reach)
    search, category = draw_entry_filter(total)
    page_key = f"own_page_{search}_{category}"
    page = find_page(search, category, int(st.session_state.get(page_key) or 1))
    draw_entries(page, reach.hits, change, remove)
    draw_paging(page, ENTRIES_PER_PAGE, page_key)


st.title(say("Own lists"))
st.markdown(
    say(
        "You decide here what is always kept, reviewed or removed, whatever Winnow would say. Only "
        "an address that cannot exist stays out. An entry for one address counts before one for "
        "its domain. Changes hold at once, in all your projects and their downloads."
    )
)
draw_entry_form(add)
total = book.list(account, limit=1).total
chosen = draw_files(lambda: book.export_csv(account), has_entries=total > 0)
if chosen is not None:
    try:
        draw_report(noted(desk.own_list_imports.import_file)(account, *chosen))
    except WinnowError as error:
        draw_error(error, kept=say("Nothing was changed."))

if total:
    draw_all(total)
else:
    draw_no_entries()
draw_changes(book.changes(account), undo)
draw_bounces()
tell_change(newest_change, undo)
