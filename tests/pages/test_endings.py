"""What a browser is told when a list that was at work has ended."""

from dataclasses import replace

import pytest

from components.frame import page_urls
from components.kit.progress import find_overall, word_ending, word_tab
from tests.applications import complete, run, submit
from tests.pages.conftest import OpenPage
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.tasks.task import Phase, Progress
from winnow.wiring import Application


def test_a_list_that_ends_is_told_of_once_on_whatever_page(
    opened: Application, open_page: OpenPage
) -> None:
    task = submit(opened, project_name="spring *letter*")
    app = open_page(page_urls.CHECK)
    assert not app.toast
    run(opened)
    app.run()
    (said,) = app.toast
    assert said.value == word_ending(opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id))
    assert said.value.replace("\N{NO-BREAK SPACE}", " ") == (
        r"**spring \*letter\*** is ready: 1 ✓ keep, 0 ◐ review, 2 ✕ remove."
    )
    app.run()
    assert not app.toast


def test_the_page_of_a_project_shows_its_ending_without_a_toast(
    opened: Application, open_page: OpenPage
) -> None:
    task = submit(opened)
    app = open_page(page_urls.PROJECT, task=task.task_id)
    run(opened)
    app.run()
    assert not app.toast


def test_an_ending_before_the_visit_is_old_news(opened: Application, open_page: OpenPage) -> None:
    complete(opened)
    assert not open_page(page_urls.PROJECTS).toast


@pytest.mark.slow
def test_a_list_that_fails_leads_to_its_page(opened: Application, open_page: OpenPage) -> None:
    late = b"id,email\r\n" + b"05,x@y.example\r\n" * 100_000 + b'06,"' + b"y" * 2**21 + b'"\r\n'
    submit(opened, late, project_name="spring")
    app = open_page(page_urls.CHECK)
    run(opened)
    app.run()
    assert [said.value for said in app.toast] == [
        "**spring** could not be cleaned. Its page says why."
    ]


def test_nobody_is_told_of_what_they_cancelled(opened: Application, open_page: OpenPage) -> None:
    task = submit(opened)
    app = open_page(page_urls.CHECK)
    opened.services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
    app.run()
    assert not app.toast


def test_the_tab_says_how_far_the_furthest_list_is(opened: Application) -> None:
    tasks = opened.services.tasks
    assert word_tab(tasks.list(LOCAL_ACCOUNT)) == ""
    task = submit(opened, project_name="customers")
    assert word_tab([task]) == "Waiting \N{MIDDLE DOT} customers"
    half = replace(task, progress=Progress(Phase.WRITING, 50, 100))
    young = replace(task, project_name="letter")
    assert word_tab([young, task]) == "Waiting \N{MIDDLE DOT} customers \N{MIDDLE DOT} 1 more"
    started = replace(half, progress=Progress(Phase.READING))
    assert word_tab([young, started]) == "0 % \N{MIDDLE DOT} customers \N{MIDDLE DOT} 1 more"
    assert word_tab([task, half]) == "75 % \N{MIDDLE DOT} customers \N{MIDDLE DOT} 1 more"
    run(opened)
    assert word_tab(tasks.list(LOCAL_ACCOUNT)) == ""


def test_the_whole_work_never_goes_back_from_phase_to_phase() -> None:
    steps = [find_overall(Progress(phase, done, 4)) for phase in Phase for done in range(5)]
    assert steps == sorted(steps)
    assert (steps[0], round(steps[-1], 9)) == (0, 1)
