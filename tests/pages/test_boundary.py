"""Whatever fails on a page is told in our words, with an id that the log has, and no address."""

import logging
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import error_boundary, page_urls
from tests.applications import complete, stage, submit
from tests.pages.conftest import Desk, press, read_html
from winnow.core.errors import StorageFull
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.verdicts.verdict import Category

ADDRESS = "ana@secret.example"
ID = re.compile(r"Request id: `([0-9a-f]{16})`")
Break = Callable[..., None]


@pytest.fixture
def breaks(monkeypatch: pytest.MonkeyPatch) -> Break:
    """Let a service fail with a message that holds an address."""

    def break_one(service: object, name: str, error: Exception | None = None) -> None:
        @wraps(getattr(type(service), name))  # it stays a use case
        def fail(*args: object, **kwargs: object) -> None:
            raise error or ValueError(f"{ADDRESS} is not in list")

        monkeypatch.setattr(type(service), name, fail)

    return break_one


def read_id(app: AppTest) -> str:
    """Return the id of the one problem on the page, which has ways on and no card."""
    (said,) = (ID.search(error.value) for error in app.error)
    assert said is not None
    assert ADDRESS not in app.error[0].value
    return said[1]


BROKEN = [
    pytest.param(page_urls.CHECK, "checks", "recent", id="check"),
    pytest.param(page_urls.CLEAN, "usage", "storage", id="clean-fragment"),
    pytest.param(page_urls.PROJECTS, "project_views", "present_all", id="projects-fragment"),
    pytest.param(page_urls.PROJECTS, "usage", "storage", id="projects"),
    pytest.param(page_urls.RULES, "own_lists", "list", id="rules"),
    pytest.param(page_urls.SETTINGS, "refresh", "find_due", id="settings"),
]


@pytest.mark.parametrize(("place", "service", "name"), BROKEN)
def test_a_page_that_fails_says_so_and_keeps_its_frame(
    *, desk: Desk, breaks: Break, caplog: pytest.LogCaptureFixture,
    place: Path, service: str, name: str,
) -> None:  # fmt: skip
    submit(desk.opened)
    breaks(getattr(desk.services, service), name)
    app = desk.open(place)
    shown = read_id(app)
    assert 'href="/projects"' in read_html(app)
    assert 'class="w-foot"' in read_html(app)
    (line,) = [one.getMessage() for one in caplog.records if one.name == "winnow.desk"]
    assert f"id={shown} error=ValueError at=" in line
    assert ADDRESS not in caplog.text


def test_try_again_shows_the_page_once_it_can_be(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(type(desk.services.keys), "list", lambda *args: 1 / 0)
        app = desk.open(page_urls.SETTINGS, tab="api")
        shown = read_id(app)
        again = app.button(key=f"again_{shown}").click().run()
        assert read_id(again) == shown  # the same fault has the same id
    press(app, f"again_{shown}")
    assert not app.error
    assert any("No key yet" in caption.value for caption in app.caption)


def test_a_part_of_a_project_that_fails_leaves_the_others(desk: Desk, breaks: Break) -> None:
    task = complete(desk.opened)
    breaks(desk.services.results, "facets")
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    read_id(app)
    assert app.link_button[0].value == "Download 1 row"


def test_a_callback_that_fails_leaves_the_page(desk: Desk, breaks: Break) -> None:
    breaks(desk.services.own_lists, "add")
    app = desk.open(page_urls.RULES)
    app.text_input(key="own_pattern").set_value("kept.example")
    press(app, "own_add")
    read_id(app)
    assert app.error[0].value.startswith("**That could not be done.**")
    assert app.text_input(key="own_pattern").value == "kept.example"
    app.run()
    assert not app.error


def test_an_error_of_ours_keeps_its_words(desk: Desk, breaks: Break) -> None:
    breaks(
        desk.services.checks,
        "recent",
        StorageFull("The disk is full.", hint="Free some space."),
    )
    app = desk.open()
    read_id(app)
    assert "The disk is full\\." in app.error[0].value
    assert "Free some space\\." in app.error[0].value


@pytest.mark.parametrize(
    "place", [page_urls.PROJECT, page_urls.CLEAN, page_urls.RULES, page_urls.CHECK]
)
def test_every_callback_is_guarded(desk: Desk, place: Path) -> None:
    desk.services.own_lists.add(LOCAL_ACCOUNT, "a.example", Category.WHITE)
    query = {}
    if place is page_urls.PROJECT:
        query["task"] = complete(desk.opened).task_id
    elif place is page_urls.CLEAN:
        query["upload"] = stage(desk.opened).upload_id
    app = desk.open(place, **query)
    state = app.session_state._state._state
    callbacks = [
        found
        for widget in state._new_widget_state.widget_metadata.values()
        for found in (widget.callback, *(widget.callbacks or {}).values())
        if found is not None
    ]
    assert callbacks
    for callback in callbacks:
        assert callback.__code__.co_filename == error_boundary.__file__, callback.__qualname__


def test_streamlit_logs_what_failed_and_never_with_what(caplog: pytest.LogCaptureFixture) -> None:
    error_boundary.keep_messages_out_of_logs()
    logger = logging.getLogger("streamlit.error_util")
    logger.addHandler(caplog.handler)
    try:
        raise ValueError(ADDRESS)
    except ValueError as error:
        logger.error("Uncaught app execution", exc_info=error)
    finally:
        logger.removeHandler(caplog.handler)
    assert "Uncaught app execution: ValueError at " in caplog.text
    assert ADDRESS not in caplog.text
