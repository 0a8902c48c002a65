"""One project's page in each of its states."""

import random
import shutil

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from components.project.rows_table import TableTicks, sort_by_header
from tests.applications import LIST, complete, run, submit
from tests.pages.conftest import OpenPage, open_tab, press, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.rows import IN_FILE, RowOrder, SortBy, Ticked
from winnow.core.tasks.task import TaskState
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

MINUS = "\N{MINUS SIGN}"


def test_headline_figures_and_rows_of_a_completed_project(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id)
    assert app.title[0].value == "spring"
    assert "3 rows: 1 ✓ keep, 0 ◐ review, 2 ✕ remove" in read_html(app)
    assert f"4 {MINUS} 1 duplicate {MINUS} 2 removed = <strong>1</strong>" in read_html(app)
    rows = app.dataframe[-1].value
    assert list(rows["email"]) == [
        "ONE@mailboxes.example",
        "two@throwaway.example",
        "not an address",
    ]
    assert list(rows["own-0"]) == ["02", "03", "04"]
    assert list(rows["reason"]) == [
        "public mailbox provider",
        "disposable service on independent lists",
        "no at-sign",
    ]
    assert [chips[0] for chips in rows["category"]] == ["✓ keep", "✕ remove", "✕ remove"]


def test_rows_to_review_are_left_out_and_kept_in_one_press(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened)
    opened.services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.GREY)
    app = open_page(page_urls.PROJECT, task=task.task_id)
    assert app.button(key="leave_review").label == "1 to review: leave it out"
    press(app, "leave_review")
    assert app.link_button[0].disabled
    assert app.button(key="leave_review").label == "Keep the rows to review"
    press(app, "leave_review")
    assert app.link_button[0].value == "Download 1 row"
    assert set(app.query_params) == {"task"}


def test_a_url_that_hides_rows_to_remove_still_does(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id, black="hidden")
    assert list(app.dataframe[-1].value["email"]) == ["ONE@mailboxes.example"]


def test_the_selected_row_is_explained(opened: Application, open_page: OpenPage) -> None:
    task_id = complete(opened).task_id
    app = open_page(page_urls.PROJECT, task=task_id)
    app.session_state[f"ticks_{task_id}"] = TableTicks(Ticked(flipped=frozenset({2})))
    app.run()
    press(app, "row_why_ticked")
    assert "two@throwaway.example" in read_html(app)
    assert "Row 4 of your list" in "\n".join(text.value for text in app.markdown)


def test_every_filter_of_an_address_holds_and_has_a_way_out(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened).task_id
    filters = {
        "reason": "disposable_listed",
        "domain": "throwaway.example",
        "type": "disposable,free",
    }
    app = open_page(page_urls.PROJECT, task=task, **filters)
    assert list(app.dataframe[-1].value["email"]) == ["two@throwaway.example"]
    press(app, "drop_reason_disposable_listed")
    press(app, "drop_type_free")
    assert {name: app.query_params.get(name) for name in filters} == {
        "reason": None,
        "domain": "throwaway.example",
        "type": "disposable",
    }


def test_two_filters_that_change_at_once_both_hold(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id)
    open_tab(app, "more_filters")
    app.multiselect(key="filter_type").set_value(["free"])
    app.button_group(key="filter_category").set_value(["white"])
    app.run()
    assert (app.query_params["type"], app.query_params["category"]) == ("free", "white")


def test_a_closed_menu_has_no_widgets_that_could_send_former_values(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id)
    assert not {box.key for box in app.multiselect} & {"filter_type", "policy_goes_standard"}
    assert not {switch.key for switch in app.toggle} & {"network_dns"}


def test_a_choice_from_the_menu_filters_and_counts_what_is_left(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id)
    assert "All 3 rows" in "\n".join(text.value for text in app.markdown)
    open_tab(app, "more_filters")
    app.multiselect(key="filter_provider").set_value(["mailboxes.example"]).run()
    assert not app.exception
    assert app.query_params["provider"] == "mailboxes.example"
    assert "1 of 3 rows" in "\n".join(text.value for text in app.markdown)
    assert app.multiselect(key="filter_reason").options == ["Public mailbox provider 1"]
    assert len(app.multiselect(key="filter_provider").options) == 1
    assert list(app.dataframe[-1].value["email"]) == ["ONE@mailboxes.example"]


def test_a_search_never_enters_the_address(opened: Application, open_page: OpenPage) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id)
    app.text_input(key="filter_search").set_value("two@throwaway.example").run()
    assert not app.exception
    assert list(app.dataframe[-1].value["email"]) == ["two@throwaway.example"]
    assert set(app.query_params) == {"task"}


def test_nothing_matches_is_said_with_a_way_out(opened: Application, open_page: OpenPage) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id, category="grey")
    assert "No row matches" in app.info[0].value
    assert app.button(key="clear_filters")


def test_a_page_beyond_the_last_one_leads_to_the_first(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id, page="99")
    assert len(app.dataframe[-1].value) == 3


def test_a_processing_task_shows_its_phase_and_can_be_cancelled(
    opened: Application, open_page: OpenPage
) -> None:
    task = submit(opened)
    app = open_page(page_urls.PROJECT, task=task.task_id)
    assert app.progress[0].text == "Waiting for its turn"
    press(app, "cancel_task")
    assert "cancelled" in app.error[0].value
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).error["code"] == "cancelled"  # type: ignore[index]
    press(app, "run_again")
    again = app.query_params["task"]
    assert again != task.task_id
    run(opened)
    assert opened.services.tasks.get(LOCAL_ACCOUNT, again).state is TaskState.COMPLETED


def test_when_a_task_ends_the_page_shows_its_results(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=submit(opened).task_id)
    assert not app.link_button
    run(opened)
    app.run()
    assert not app.exception
    assert app.link_button


@pytest.mark.slow
def test_a_failed_task_says_what_is_wrong_and_how_to_mend(
    opened: Application, open_page: OpenPage
) -> None:
    late = LIST + b"05,x@y.example\r\n" * 100_000 + b'06,"' + b"y" * 2**21 + b'"\r\n'
    app = open_page(page_urls.PROJECT, task=complete(opened, late).task_id)
    assert "100006" in app.error[0].value.replace(",", "")
    assert not app.link_button


@pytest.mark.parametrize(
    ("query", "title"),
    [({}, "No project chosen"), ({"task": "nobody-knows"}, "There is no such project")],
    ids=["no-task", "unknown-task"],
)
def test_without_a_project_the_page_leads_on(
    open_page: OpenPage, query: dict[str, str], title: str
) -> None:
    app = open_page(page_urls.PROJECT, **query)
    assert app.title[0].value == title
    assert {link.value for link in app.page_link} == {"See all projects", "Clean a list"}


def test_too_many_duplicates_raise_a_doubt(opened: Application, open_page: OpenPage) -> None:
    content = b"email\r\n" + b"one@mailboxes.example\r\n" * 5
    app = open_page(page_urls.PROJECT, task=complete(opened, content).task_id)
    assert "80.0 % of the rows were duplicates" in app.warning[0].value


def test_a_wrong_column_raises_a_doubt(opened: Application, open_page: OpenPage) -> None:
    content = b"email\r\nAna\r\nIna\r\none@mailboxes.example\r\n"
    app = open_page(page_urls.PROJECT, task=complete(opened, content).task_id)
    assert "66.7 % of the rows hold no valid address" in app.warning[0].value


def test_without_any_domain_there_is_no_empty_chart(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened, b"email\r\nAna\r\n").task_id)
    open_tab(app, "tabs", "Breakdown")
    captions = {caption.value for caption in app.caption}
    assert "No row has a value." in captions
    assert not app.exception


def test_a_project_deleted_in_another_tab_is_gone_at_the_next_click(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened)
    app = open_page(page_urls.PROJECT, task=task.task_id)
    opened.services.tasks.delete(LOCAL_ACCOUNT, task.task_id)
    app.button_group(key="filter_category").set_value(["black"]).run()
    assert not app.exception
    assert app.title[0].value == "This project is gone"


@pytest.mark.slow
def test_a_result_that_is_missing_is_told_and_made_anew(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened)
    (folder,) = opened.folder.results.iterdir()
    shutil.rmtree(folder)
    app = open_page(page_urls.PROJECT, task=task.task_id)
    assert "is missing" in app.error[0].value
    (button,) = [one for one in app.button if one.label == "Check the list again"]
    button.click().run()
    assert not app.exception
    assert app.query_params["task"] != task.task_id
    run(opened)
    app.run()
    assert f"4 {MINUS} 1 duplicate" in read_html(app)


def test_a_result_that_is_missing_with_its_list_is_uploaded_again(
    opened: Application, open_page: OpenPage
) -> None:
    task = complete(opened)
    for path in (*opened.folder.results.glob("*/*"), *opened.folder.inputs.iterdir()):
        path.unlink()
    app = open_page(page_urls.PROJECT, task=task.task_id)
    assert "is missing" in app.error[0].value
    assert "Check the list again" not in [one.label for one in app.button]


def show_rows(app: AppTest) -> list[str]:
    return list(app.dataframe[-1].value["email"])


def test_all_rows_are_sorted_and_the_order_stands_in_the_address(
    opened: Application, open_page: OpenPage
) -> None:
    emails = [f"p{number:03}@firm-{'ba'[number % 2]}.de" for number in range(120)]
    shuffled = random.Random(4).sample(emails, len(emails))
    content = "\n".join(["email", *shuffled]).encode()
    app = open_page(page_urls.PROJECT, task=complete(opened, content).task_id, page="2")
    assert show_rows(app) == shuffled[50:100]
    open_tab(app, "more_filters")
    app.selectbox(key="rows_sort_by").select("email").run()
    assert not app.exception
    assert (app.query_params["sort"], "page" in app.query_params) == ("address", False)
    assert show_rows(app) == sorted(emails)[:50]
    assert list(app.dataframe[-1].value["number"])[:2] == [
        shuffled.index(one) + 2 for one in sorted(emails)[:2]
    ]
    app.segmented_control(key="rows_sort_down").set_value(True).run()
    assert app.query_params["sort"] == "-address"
    assert show_rows(app) == sorted(emails, reverse=True)[:50]
    app.text_input(key="filter_search").set_value("firm-a").run()
    left = [one for one in sorted(emails, reverse=True) if "firm-a" in one]
    assert show_rows(app) == left[:50]
    press(app, "clear_filters")
    assert app.query_params["sort"] == "-address"
    assert show_rows(app) == sorted(emails, reverse=True)[:50]


def test_a_search_holds_while_another_tab_is_open(opened: Application, open_page: OpenPage) -> None:
    content = b"email\na@firm-a.de\nb@firm-b.de\n"
    app = open_page(page_urls.PROJECT, task=complete(opened, content).task_id)
    app.text_input(key="filter_search").set_value("firm-b").run()
    open_tab(app, "tabs", "Breakdown")
    open_tab(app, "tabs", "Rows")
    assert app.text_input(key="filter_search").value == "firm-b"
    assert show_rows(app) == ["b@firm-b.de"]


def test_a_click_on_a_column_sorts_up_then_down_then_as_in_the_file() -> None:
    up = sort_by_header(IN_FILE, ["email"])
    assert up == RowOrder(SortBy.ADDRESS)
    down = sort_by_header(up, [])
    assert down == RowOrder(SortBy.ADDRESS, descending=True)
    assert sort_by_header(down, []) == IN_FILE
    assert sort_by_header(down, ["own-3"]) == RowOrder(3)
    assert sort_by_header(down, ["why"]) == down


def test_verdicts_stay_in_the_order_in_which_they_were_pressed(
    opened: Application, open_page: OpenPage
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened).task_id)
    app.button_group(key="filter_category").set_value(["black", "white"]).run()
    assert app.query_params["category"] == "black,white"
    assert app.session_state["filter_category"] == ["black", "white"]  # not sent to the browser
