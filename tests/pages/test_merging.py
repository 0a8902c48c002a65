"""Several lists as one on the page: order, columns, what is left out, and the way back."""

import csv
import io

import openpyxl
import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import Clock, run, stage
from tests.pages.conftest import Desk, press, read_markdown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.upload import Upload
from winnow.wiring import Application

JANUARY = b"id,email\n01,one@mailboxes.example\n02,two@mailboxes.example\n"
FEBRUARY = b"E-Mail;city\nONE@mailboxes.example;Rome\n"


def drop(opened: Application, clock: Clock, content: bytes, name: str) -> Upload:
    """Upload a file a moment after the others."""
    clock.advance(seconds=1)
    return stage(opened, content, name=name)


def open_as_one(desk: Desk) -> AppTest:
    """Open the page as after a drop of all files but those that were abandoned."""
    app = desk.open(page_urls.CLEAN)
    uploads = desk.services.uploads.list_waiting(LOCAL_ACCOUNT)
    dropped = [one for one in uploads if one.file_name != "abandoned.csv"]
    app.session_state["merge_dropped"] = tuple(one.upload_id for one in reversed(dropped))
    app.segmented_control(key="many_way").set_value(True).run()
    return app


def read_waiting(opened: Application) -> list[list[str]]:
    (upload,) = opened.services.uploads.list_waiting(LOCAL_ACCOUNT)
    text = b"".join(opened.blobs.read_blob(upload.key)).decode()
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.slow
def test_files_become_one_list_that_is_looked_at_first(desk: Desk, clock: Clock) -> None:
    drop(desk.opened, clock, JANUARY, "jan.csv")
    drop(desk.opened, clock, FEBRUARY, "feb.csv")
    app = open_as_one(desk)
    press(app, "merge_go")
    (upload,) = desk.services.uploads.list_waiting(LOCAL_ACCOUNT)
    assert app.query_params["upload"] == upload.upload_id
    assert read_waiting(desk.opened)[-1] == ["", "ONE@mailboxes.example", "Rome", "feb.csv"]
    words = "Merged from 2 files, in this order: jan\\.csv (2 rows), feb\\.csv (1 row)"
    assert any(words in one.value for one in app.markdown)
    assert app.text_input(key="go_name").value == "jan and 1 more"
    press(app, "go_start")
    run(desk.opened)
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert any(words in one.value for one in app.caption)
    assert task.summary is not None
    assert (task.summary.rows_in, task.summary.rows_out) == (3, 2)


def test_the_order_is_changed_and_a_file_left_out(desk: Desk, clock: Clock) -> None:
    ids = [
        drop(desk.opened, clock, content, name).upload_id
        for content, name in ((JANUARY, "jan.csv"), (FEBRUARY, "feb.csv"), (JANUARY, "mar.csv"))
    ]
    abandoned = drop(desk.opened, clock, JANUARY, "abandoned.csv")
    app = open_as_one(desk)
    assert app.button(key="merge_go").label == "Merge 3 files"
    desk.services.uploads.discard(LOCAL_ACCOUNT, abandoned.upload_id)
    app.run()
    assert app.button(key=f"merge_upward_{ids[0]}").disabled
    assert app.button(key=f"merge_downward_{ids[2]}").disabled
    press(app, f"merge_downward_{ids[0]}")
    app.checkbox[2].uncheck().run()
    assert app.button(key="merge_go").label == "Merge 2 files"
    press(app, "merge_go")
    names = {upload.file_name for upload in desk.services.uploads.list_waiting(LOCAL_ACCOUNT)}
    assert names == {"feb and 1 more.csv", "mar.csv"}
    press(app, "other_file")
    names = {upload.file_name for upload in desk.services.uploads.list_waiting(LOCAL_ACCOUNT)}
    assert names == {"jan.csv", "feb.csv", "mar.csv"}
    assert app.segmented_control(key="many_way").value is True, "back where it was left"
    assert [box.value for box in app.checkbox] == [True, True, False]
    assert app.button(key=f"merge_upward_{ids[1]}").disabled, "the first now"


@pytest.mark.slow
def test_questions_are_answered_and_wrong_files_are_named(desk: Desk, clock: Clock) -> None:
    drop(desk.opened, clock, JANUARY, "jan.csv")
    drop(desk.opened, clock, b"four@mailboxes.example\nfive@mailboxes.example\n", "bare.csv")
    rows = b"a@mailboxes.example,b@mailboxes.example\n" * 3
    two = drop(desk.opened, clock, b"from,to\n" + rows, "two.csv")
    drop(desk.opened, clock, b'email,n\n"a,1\n', "broken.csv")
    app = open_as_one(desk)
    assert app.button(key="merge_go").disabled
    told = read_markdown(app)
    assert "never closes" in told
    assert "It is left out of the merged list." in told
    assert "no header row" in told
    app.selectbox(key=f"merge_column_{two.upload_id}").select(1).run()
    press(app, "merge_go")
    shown = app.query_params["upload"]
    upload = desk.services.uploads.get(LOCAL_ACCOUNT, shown)
    text = b"".join(desk.opened.blobs.read_blob(upload.key)).decode()
    found = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["email"] for row in found] == [
        "one@mailboxes.example",
        "two@mailboxes.example",
        "four@mailboxes.example",
        "five@mailboxes.example",
        *["b@mailboxes.example"] * 3,
    ]
    assert [row["from"] for row in found] == [""] * 4 + ["a@mailboxes.example"] * 3


@pytest.mark.slow
@pytest.mark.parametrize("as_one", [False, True])
def test_sheets_that_are_left_out_are_named(desk: Desk, clock: Clock, as_one: bool) -> None:
    book, content = openpyxl.Workbook(), io.BytesIO()
    for sheet, name in ((book.active, "May"), (book.create_sheet(), "June")):
        sheet.title = name
        for cell in ("email", f"one@{name}.example", f"two@{name}.example"):
            sheet.append((cell,))
    book.save(content)
    upload = drop(desk.opened, clock, content.getvalue(), "fair.xlsx")
    app = desk.open(page_urls.CLEAN, upload=upload.upload_id)
    assert any("Only the sheet May" in one.value and "June" in one.value for one in app.warning)
    drop(desk.opened, clock, JANUARY, "jan.csv")
    app = open_as_one(desk) if as_one else desk.open(page_urls.CLEAN)
    assert ["Only the sheet May" in one.value and "June" in one.value for one in app.warning] == [
        True
    ]
    assert any("fair" in one.value for one in app.markdown)
