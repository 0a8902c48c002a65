"""How often a project is checked again by itself, and the note about what was found."""

from components import page_urls
from tests.applications import complete
from tests.pages.conftest import OpenPage, open_tab
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.tasks.recheck_notes import RecheckRhythm
from winnow.core.verdicts.verdict import Category
from winnow.storage.repositories.recheck_plans import find_plan, record_check
from winnow.wiring import Application


def test_the_rhythm_is_chosen_on_the_projects_page(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened)
    app = open_tab(open_page(page_urls.PROJECT, task=task.task_id), "more", "Over time")
    app.segmented_control(key="recheck_rhythm").set_value(RecheckRhythm.WEEKLY).run()
    assert not app.exception
    schedule = opened.services.recheck_schedule
    assert schedule.find_rhythm(LOCAL_ACCOUNT, task.task_id) is RecheckRhythm.WEEKLY
    app = open_tab(open_page(page_urls.PROJECT, task=task.task_id), "more", "Over time")
    assert app.segmented_control(key="recheck_rhythm").value is RecheckRhythm.WEEKLY


def test_a_note_says_what_would_change_and_is_dismissed(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened, project_name="spring *list*")
    schedule = opened.services.recheck_schedule
    schedule.choose(LOCAL_ACCOUNT, task.task_id, RecheckRhythm.DAILY)
    plan = find_plan(opened.database, LOCAL_ACCOUNT, task.task_id)
    assert plan is not None
    moved = {(Category.WHITE, Category.BLACK): 1_200, (Category.BLACK, Category.GREY): 1}
    record_check(opened.database, plan, moved, opened.services.clock())
    app = open_page(page_urls.PROJECTS)
    [note] = [text.value for text in app.markdown if "checked again on" in text.value]
    assert "spring \\*list\\*" in note
    assert "1,201 rows would change, 1,200 to ✕ remove, 1 to ◐ review" in note
    app.button(key=f"recheck_dismiss_{task.task_id}").click().run()
    assert not app.exception
    assert not [text for text in app.markdown if "checked again on" in text.value]
    assert schedule.list_notes(LOCAL_ACCOUNT) == ()
