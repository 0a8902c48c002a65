"""From an upload to a project on the Clean page."""

from dataclasses import replace

import pytest

from components.clean.health import word_basis, word_duplicates
from components.clean.opened_list import read_choices
from components.frame import page_urls
from tests.applications import run, stage
from tests.pages.conftest import Desk, open_tab, press, read_html, read_markdown
from tests.services.test_own_files import bounce
from winnow.core.errors import Gone
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.previews import ListHealth, Preview
from winnow.core.lists.rows import RowFilter
from winnow.core.verdicts.verdict import Category
from winnow.lists import preview
from winnow.lists.text.records import MAX_COLUMNS
from winnow.wiring import Application

GERMAN = "Nr;Straße;E-Mail-Adresse\r\n01;Köln;one@mailboxes.example\r\n".encode("cp1252")
HEADERLESS = b"one@mailboxes.example,Ana\r\ntwo@throwaway.example,Ina\r\n"
BROKEN = b'id,email\r\n01,one@mailboxes.example\r\n02,"two@mailboxes.example\r\n'


def test_an_empty_desk_offers_the_sample(desk: Desk) -> None:
    app = desk.open(page_urls.CLEAN)
    press(app, "take_sample")
    upload = desk.services.uploads.get(LOCAL_ACCOUNT, app.query_params["upload"])
    assert upload.file_name == "sample.csv"


def test_what_was_understood_and_is_expected_is_said_and_start_leads_to_the_project(
    desk: Desk,
) -> None:
    app = desk.open_list()
    shown = read_html(app)
    assert "CSV with commas, 4 rows, email column: email" in shown
    assert app.text_input(key="go_name").value == "list"
    assert "4" in app.button(key="go_start").label
    assert "Expected: keep 33.3 %, review 0 %, do not mail 0 %, remove 66.7 %" in shown
    assert "1 duplicate will be removed." in shown
    assert "3 rows are left." in shown
    assert not desk.services.tasks.list(LOCAL_ACCOUNT), "nothing is charged yet"
    app.text_input(key="go_name").set_value("Spring letter").run()
    app.toggle(key="go_deduplicate").set_value(False).run()
    shown = read_html(app)
    assert "Expected: keep 50.0 %, review 0 %, do not mail 0 %, remove 50.0 %" in shown
    assert "1 duplicate is kept." in shown
    assert not app.warning
    press(app, "go_start")
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert (task.project_name, task.request.deduplicate) == ("Spring letter", False)
    assert task.plan.email_column == 1
    assert app.query_params["task"] == task.task_id
    assert app.title[0].value == "Spring letter"


def test_a_first_row_narrower_than_the_list_is_drawn(desk: Desk) -> None:
    content = b"Report\r\nname,contact\r\nAna,one@mailboxes.example\r\n"
    app = desk.open_list(content)
    assert app.selectbox(key="look_email_column").value == 1
    press(app, "go_start")
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert task.plan.email_column == 1


def test_a_column_whose_name_says_nothing_is_told(desk: Desk) -> None:
    content = b"who,where\r\nAna,one@mailboxes.example\r\n"
    app = desk.open_list(content)
    assert app.info[0].value.startswith("No column is named email. where holds addresses")


TWO_COLUMNS = (
    b"id,Work,Private\n1,ana@gmail.com,\n2,,bo@gmail.com\n3,cy@gmail.com,Bo@gmail.com\n"
    b"4,,bo@gmail.com\n"
)


def test_of_two_address_columns_one_is_chosen_and_the_other_fills_its_gaps(
    desk: Desk,
) -> None:
    app = desk.open_list(TWO_COLUMNS)
    assert "email column: please choose" in read_html(app)
    assert app.warning[0].value == "2 columns hold addresses. Which one should be checked?"
    assert app.button(key="go_start").disabled
    app.selectbox(key="look_email_column").select(1).run()
    assert not app.warning
    assert "email column: Work" in read_html(app)
    assert any(one.value.startswith("Private holds addresses too.") for one in app.caption)
    app.selectbox(key="look_second_email_column").select(2).run()
    assert app.query_params["second"] in ("3", ["3"])
    assert "email column: Work, or Private where it is empty" in read_html(app)
    assert not any("holds addresses too" in one.value for one in app.caption)
    press(app, "go_start")
    run(desk.opened)
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert (task.plan.email_column, task.plan.second_email_column) == (1, 2)
    assert task.summary is not None
    assert (task.summary.rows_out, task.summary.duplicates_removed) == (3, 1)
    page = desk.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 9)
    assert [row.email for row in page.rows] == ["ana@gmail.com", "cy@gmail.com", "bo@gmail.com"]
    desk.open(page_urls.PROJECT, task=task.task_id)


def test_the_second_column_is_taken_back_and_is_never_the_first(desk: Desk) -> None:
    upload_id = stage(desk.opened, TWO_COLUMNS).upload_id
    app = desk.open(page_urls.CLEAN, upload=upload_id, column="2", second="3")
    assert app.selectbox(key="look_second_email_column").value == 2
    app.selectbox(key="look_email_column").select(2).run()
    assert "second" not in app.query_params
    app.selectbox(key="look_second_email_column").select(1).run()
    app.selectbox(key="look_second_email_column").set_value(None).run()
    assert "second" not in app.query_params
    assert not app.button(key="go_start").disabled


def test_a_title_is_no_header_and_another_row_may_be(desk: Desk) -> None:
    content = b"Report,\r\nmonth,May\r\nname,contact\r\nAna,one@mailboxes.example\r\n"
    app = desk.open_list(content, row="3")
    assert "1 row, header in row 3, email column: contact" in read_html(app)
    assert app.dataframe[0].value.index.tolist() == [1, 2, 4]
    open_tab(app, "reading")
    app.number_input(key="look_first_row").set_value(2).run()
    assert app.query_params["row"] == "2"
    assert "2 rows, header in row 2, email column: May" in read_html(app)
    press(app, "go_start")
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert (task.plan.columns, task.plan.preamble_lines) == (("month", "May"), 1)


@pytest.mark.parametrize(("said", "has_header"), [("no", False), ("yes", True)])
def test_whether_there_is_a_header_row_is_one_click(
    desk: Desk, said: str, *, has_header: bool
) -> None:
    app = desk.open_list(HEADERLESS)
    assert app.button(key="go_start").disabled
    press(app, f"look_has_header_{has_header}")
    assert app.query_params["header"] == said
    press(app, "go_start")
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert task.plan.has_header is has_header


def test_a_broken_file_says_where_and_how_to_mend(desk: Desk) -> None:
    app = desk.open_list(BROKEN)
    assert "Line 3" in app.error[0].value
    assert "Nothing was cleaned yet" in app.error[0].value
    assert "go_start" not in {button.key for button in app.button}


def test_choices_in_the_address_hold_and_impossible_ones_can_be_taken_back(desk: Desk) -> None:
    app = desk.open_list(GERMAN, encoding="cp850", column="2")
    read = "CSV with semicolons, saved as DOS 850 (Western Europe), 1 row, email column:"
    assert read in read_html(app)
    assert app.selectbox(key="look_email_column").value == 1
    app = desk.open_list(encoding="klingon", column="2")
    assert app.error
    press(app, "look_afresh")
    assert not app.error
    assert "encoding" not in app.query_params
    upload_id = app.query_params["upload"]
    press(app, "other_file")  # discards the first
    assert "upload" not in app.query_params
    with pytest.raises(Gone):
        desk.services.uploads.get(LOCAL_ACCOUNT, upload_id)


def test_an_address_of_what_is_no_longer_here_leads_on(desk: Desk) -> None:
    app = desk.open(page_urls.CLEAN, upload="nothing-here")
    assert "no longer here" in app.info[0].value
    assert app.button(key="take_sample")
    app = desk.open_list()
    upload_id = app.query_params["upload"]
    twin = desk.open(page_urls.CLEAN, upload=upload_id)
    press(app, "go_start")
    press(twin, "go_start")
    for gone in (twin, desk.open(page_urls.CLEAN, upload=upload_id)):
        assert not gone.error
        (link,) = gone.get("page_link")
        assert link.proto.label == "This list was cleaned: open list"
        (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
        assert link.proto.query_string == f"task={task.task_id}"


def test_what_cannot_be_in_an_address_is_no_choice() -> None:
    columns = ({"column": text} for text in ("0", "-1", "x", "9" * 9))
    for query in (*columns, {"delimiter": "slash"}, {"sheet": "7"}):
        assert read_choices(query, ("one sheet",)) == read_choices({}), query


def test_a_column_that_is_only_miswritten_is_not_doubted(desk: Desk) -> None:
    rows = b"".join(b"Ana %d <ana%d@mailboxes.example>,x\r\n" % (row, row) for row in range(9))
    app = desk.open_list(b"email,name\r\n" + rows + b",x\r\n")
    assert [doubt.value for doubt in app.warning] == [
        "100 % of the rows have no valid address, but most can be corrected below or after "
        "cleaning."
    ]


def test_what_to_expect_follows_the_choices(desk: Desk) -> None:
    rows = (b"a@gmail.com", b"a@googlemail.com", b"b@mailboxes.example", b"<c@mailboxes.example>")
    app = desk.open_list(b"email\r\n" + b"\r\n".join(rows))
    shown = read_html(app)
    assert "No duplicates." in shown
    assert "remove 25.0 %" in shown
    app.toggle(key=f"go_{app.query_params['upload']}_join_aliases").set_value(True).run()
    assert "1 duplicate will be removed. 3 rows are left." in read_html(app)
    app.checkbox(key="go_repair").set_value(True).run()
    assert "remove 0 %" in read_html(app)


def test_the_wrong_column_is_doubted_before_the_run(desk: Desk) -> None:
    rows = b"".join(b"%d@mailboxes.example,Ana %d@x\r\n" % (row, row % 2) for row in range(9))
    upload_id = stage(desk.opened, b"email,name\r\n" + rows).upload_id
    assert not desk.open(page_urls.CLEAN, upload=upload_id).warning
    app = desk.open(page_urls.CLEAN, upload=upload_id, column="2")
    assert [doubt.value for doubt in app.warning] == [
        "77.8 % of the rows are duplicates. Is name the right column?",
        "No valid address in 100 % of the rows. Is name the right column?",
    ]
    assert not app.button(key="go_start").disabled


@pytest.mark.slow
def test_the_widest_list_is_drawn_in_part(desk: Desk) -> None:
    names = [*(f"c{place}" for place in range(MAX_COLUMNS - 1)), "email"]
    rows = "\r\n".join(",".join([*["1"] * (MAX_COLUMNS - 1), "a@x.example"]) for _ in range(20))
    content = f"{','.join(names)}\r\n{rows}\r\n".encode()
    app = desk.open_list(content)
    assert not app.error
    assert app.selectbox(key="look_email_column").value == MAX_COLUMNS - 1
    assert app.dataframe[0].value.shape == (20, 101)
    assert "101 of 16,384 columns are shown here; the result has all of them." in [
        one.value for one in app.caption
    ]


@pytest.mark.slow
def test_a_fault_later_in_the_list_is_known_before_the_run(desk: Desk) -> None:
    late = b"id,email\r\n" + b"05,x@y.example\r\n" * 100_000 + b'06,"' + b"y" * 2**21 + b'"\r\n'
    app = desk.open_list(late)
    assert "a cell is longer than 1 MiB" in app.error[0].value
    assert "it cannot be cleaned" in app.error[0].value
    assert app.button(key="go_start")


def test_rows_that_were_all_read_are_no_estimate(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "_JUDGED_ROWS", 100)
    rows = b"".join(b"user%d@mailboxes.example\n" % number for number in range(20_000))
    app = desk.open_list(b"email\n" + rows + b"\n" * 9)
    assert app.button(key="go_start").label == "Clean 20,000 rows"


def test_what_is_expected_says_that_files_come_on_top(desk: Desk, opened: Application) -> None:
    said = "People on your do-not-mail files, bounces and never-mail list come on top."
    assert said not in read_html(desk.open_list())
    bounce(opened)
    assert said in read_html(desk.open_list())


def test_estimates_say_that_they_are(opened: Application) -> None:
    health = ListHealth(dict.fromkeys(Category, 0.3), 0)
    guess = Preview(5_000_351, 19_267, 310_500, 1_204, health, None, "v")
    assert word_duplicates(guess, deduplicate=True) == (
        "1,204 duplicates among the 310,500 rows looked at; there may be more. "
        "The shares above count duplicates."
    )
    assert word_duplicates(replace(guess, duplicates=0), deduplicate=False) == (
        "No duplicates among the 310,500 rows looked at."
    )
    basis = word_basis(guess, asks_dns=True)
    assert basis.startswith("Shares of 19,267 of the first 310,500 rows.")
    assert "DNS is on" in basis


@pytest.mark.slow
def test_what_was_uploaded_and_not_cleaned_is_offered_again(desk: Desk) -> None:
    older, newer = stage(desk.opened, name="old_list.csv"), stage(desk.opened)
    app = desk.open(page_urls.CLEAN)
    shown = " ".join(str(one.value) for one in app.markdown)
    assert r"**old\_list\.csv**" in shown
    assert "2 lists are not cleaned yet" in [one.value for one in app.subheader]
    press(app, f"waiting_discard_{older.upload_id}")
    assert desk.services.uploads.list_waiting(LOCAL_ACCOUNT) == (newer,)
    press(app, f"waiting_go_{newer.upload_id}")
    assert app.query_params["upload"] == newer.upload_id
    assert app.button(key="go_start")


def test_lists_that_are_clear_are_cleaned_together_and_others_deleted_at_once(desk: Desk) -> None:
    for number in range(2):
        stage(desk.opened, name=f"list{number}.csv")
    doubtful = stage(
        desk.opened, b"from,to\na@x.de,b@x.de\nc@x.de,d@x.de\n", name="two columns.csv"
    )
    broken = stage(desk.opened, b"\x00\x01\x02" * 99, name="zeros.csv")
    app = desk.open(page_urls.CLEAN)
    shown = read_markdown(app)
    assert shown.count(":material/check: ready to clean: CSV with commas, 4 rows") == 2
    assert ":material/help: Which column holds the addresses?" in shown
    assert shown.count(":material/error:") == 1
    press(app, "many_clean")
    names = {task.project_name for task in desk.services.tasks.list(LOCAL_ACCOUNT)}
    assert names == {"list0", "list1"}
    left = {upload.upload_id for upload in desk.services.uploads.list_waiting(LOCAL_ACCOUNT)}
    assert left == {doubtful.upload_id, broken.upload_id}
    app = press(desk.open(page_urls.CLEAN), f"waiting_go_{doubtful.upload_id}")
    assert app.query_params["upload"] == doubtful.upload_id
    press(desk.open(page_urls.CLEAN), "discard_all")
    assert desk.services.uploads.list_waiting(LOCAL_ACCOUNT) == ()
