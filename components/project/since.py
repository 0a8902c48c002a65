"""What differs since the last list of its kind, and what a mail platform is to get for it."""

import streamlit as st

from components.frame import page_urls
from components.frame.error_boundary import fragment
from components.frame.html import escape_markdown
from components.frame.session import may, show_local_date
from components.kit.project_view import OpenedProject, draw_file
from components.kit.upload import TOKEN_REFRESH_SECONDS, draw_file_zone
from components.project.project_files import find_platform, word_import
from components.projects.comparison import SHOWN, word_difference
from components.rules.side_files import DO_NOT_MAIL_URL
from winnow.core.errors import Gone, TaskUnknown, WinnowError
from winnow.core.lists.comparison import NEVER_MAIL, Difference, Earlier, Since, Wanted
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.platforms import PlatformFile
from winnow.core.lists.rows import Variant
from winnow.words import say, say_many

_REMEMBERED = (Difference.SAID_NO, Difference.TURNED_BAD)


@fragment(run_every=TOKEN_REFRESH_SECONDS)
def draw_since(view: OpenedProject) -> None:
    """Draw what differs since the last list with the same headings; without one ask for it."""
    try:
        earlier = next(iter(view.services.comparisons.list_earlier(*view.ids)), None)
    except (TaskUnknown, Gone):  # deleted in another tab: the page says so
        st.rerun()
    earlier_id, key = earlier and earlier.earlier_id, f"since_{view.task.task_id}"
    if st.session_state.setdefault(key, earlier_id) != earlier_id:  # a file has just arrived
        st.session_state[key] = earlier_id
        st.rerun()  # the whole page: who says no in it is left out
    if earlier is not None:
        _draw_differences(view, earlier)
    if (earlier is None or earlier.earlier_id == NEVER_MAIL) and may(
        view.services.own_files.add_earlier
    ):
        _ask_for_file(view)


def _ask_for_file(view: OpenedProject) -> None:
    """Draw the drop zone for last month's file."""
    words = {
        "drop": say("Drop last month's list here"),
        "limit": say("It is compared and not kept. Who said no in it is left out here as well."),
        "file": say("Choose last month's list"),
        "arrived": say("Comparing the two lists"),
    }
    task_id = view.task.task_id
    url = f"{DO_NOT_MAIL_URL}/earlier/{task_id}"
    with st.expander(say("Compare with last month's list"), key="earlier_file"):
        draw_file_zone(view.services, view.account, url, words, key=f"earlier_{task_id}")


def _draw_differences(view: OpenedProject, earlier: Earlier) -> None:
    comparisons, task_id = view.services.comparisons, view.task.task_id
    try:
        with st.spinner(say("Comparing the two lists")):
            found = comparisons.compare(view.account, earlier.earlier_id, task_id)
    except WinnowError:  # deleted just now, or too large to compare
        return
    shown = SHOWN if earlier.earlier_id != NEVER_MAIL else _REMEMBERED
    extra = [Difference.SAID_YES] if found.count(Difference.SAID_YES) else []
    with st.container(key="since", gap="small"):
        title = f"**{say('Since what is remembered of your earlier lists')}**"
        if earlier.earlier_id != NEVER_MAIL:
            name, day = escape_markdown(earlier.name), show_local_date(earlier.day)
            title = say("**Since {name}** of {day}", name=name, day=day)
        st.markdown(title)
        with st.container(horizontal=True, gap="medium"):
            for one in (*shown, *extra):
                st.page_link(
                    page_urls.COMPARE,
                    label=word_difference(one, found.count(one)),
                    query_params={
                        "before": earlier.earlier_id,
                        "now": task_id,
                        "show": one.value,
                    },
                )
        if earlier.earlier_id != NEVER_MAIL or found.count(Difference.SAID_NO):
            _draw_files(view, earlier)


def _draw_files(view: OpenedProject, earlier: Earlier) -> None:
    """Draw the files of people to add, and of those to suppress; for the chosen platform."""
    platform, choice = find_platform(), DownloadChoice(view.find_choice().policy)
    said = []
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for wanted in Wanted:
            is_suppression = wanted is Wanted.SUPPRESS
            variant = Variant.REMOVED if is_suppression else Variant.SELECTION
            file = None if platform is None else PlatformFile(platform, is_suppression)
            export = Export(variant, choice, Since(earlier.earlier_id, wanted), file)
            count = view.services.results.measure(*view.ids, export)
            if count:
                label, meaning = _word_file(wanted, count)
                draw_file(view, label, export, count, key=f"since_{wanted}")
                said.append(meaning)
                if platform is not None:
                    said.append(word_import(platform, is_suppression=is_suppression))
    st.caption("  \n".join(said))


def _word_file(wanted: Wanted, count: int) -> tuple[str, str]:
    """Return a file's label, and who is in it."""
    if wanted is Wanted.ADD:
        label = say_many(count, "Add: {count} row", "Add: {count} rows")
        return label, say("Add has who is new and may be mailed.")
    label = say_many(count, "Suppress: {count} row", "Suppress: {count} rows")
    return label, say(
        "Suppress has who says no or bounced now and did not before, new people as well."
    )
