"""Who may be mailed: one list whose counts all differ, its figures on every page, decisions."""

import re
from dataclasses import replace
from typing import Any

import pytest

from components.frame import page_urls
from tests.applications import complete, download, run, stage
from tests.pages.conftest import (
    Desk,
    open_options,
    press,
    read_captions,
    read_html,
    read_markdown,
)
from tests.tables import write_csv
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.dimensions import ACTION
from winnow.core.lists.exports import Export
from winnow.core.lists.input_head import Choices
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.meaning.columns import MailDecisions
from winnow.lists.recipe import parse_recipe
from winnow.services.tasks.recipe import make_recipe, write_recipe
from winnow.wiring import Application

HEAD = "email,Name,Status\r\n"
PARTS = (  # how many, the domain and the end of the name, what the status says
    (18, "@firma.example", "Subscribed"),
    (2, "@firm.example", "Gold 2"),
    (7, ".1.2.3.4.5.6.7@firm.example", "Subscribed"),
    (5, "@mailboxes.example", "Unsubscribed"),
    (3, "@mailboxes.example", "Bounced"),
    (1, "@mailboxes.example", "Pending"),
    (4, "@throwaway.example", "Subscribed"),
    (2, "@throwaway.example", "Unsubscribed"),
)
ROWS = [
    f"p{part}x{number}{rest},Ana,{status}\r\n"
    for part, (count, rest, status) in enumerate(PARTS)
    for number in range(count)
]
LIST = (HEAD + "".join([*ROWS[:4], *ROWS])).encode()
HOW_TO_LET_THE_NEWEST_DECIDE = (
    "To let the newest row decide, choose a column of dates under Duplicates."
)
FIGURES = {"keep": 20, "review": 7, "do-not-mail": 9, "remove": 6}
BAR = "42 rows: 20 ✓ keep, 7 ◐ review, 9 ⊘ do not mail, 6 ✕ remove"


def count_rows(desk: Desk, task: Any, variant: Variant, **options: Any) -> int:
    export = Export(variant, **options)
    return desk.services.results.measure(LOCAL_ACCOUNT, task.task_id, export)


def find_control(app: Any, value: str) -> Any:
    """Return the choice of a value's people."""
    (found,) = (one for one in app.button_group if one.label == f"People with {value}")
    return found


def test_every_page_has_the_same_four_figures(desk: Desk) -> None:
    app = desk.open_list(LIST)
    shown = read_html(app) + read_markdown(app)
    assert "Expected: keep 47.6 %, review 16.7 %, do not mail 21.4 %, remove 14.3 %" in shown
    assert "**Status** says no in 11 rows." in shown
    task = complete(desk.opened, LIST)
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    shown = re.sub(r"\s+", " ", read_html(app))
    minus = "\N{MINUS SIGN}"
    total = f"46 {minus} 4 duplicates {minus} 6 remove {minus} 9 do not mail = <strong>27</strong>"
    for figure in (total, BAR, "said no 6, bounced 3"):
        assert figure in shown
    assert app.link_button[0].value == "Download 27 rows"
    chips = app.button_group(key="filter_action").options
    assert chips == ["✓ keep 20", "◐ review 7", "⊘ do not mail 9", "✕ remove 6"]
    app.button_group(key="filter_action").set_value(["do-not-mail"]).run()
    (rows,) = (one.value for one in app.dataframe if "action" in one.value)
    assert {chip for some in rows["action"] for chip in some} == {"⊘ do not mail"}
    assert all(reason.startswith(("unsubscribed", "hard bounce")) for reason in rows["reason"])
    whole = desk.services.results.facets(LOCAL_ACCOUNT, task.task_id, RowFilter())
    assert {bar.value: bar.total for bar in whole[ACTION].bars} == FIGURES
    complete(desk.opened, LIST)
    assert read_html(desk.open(page_urls.COMPARE)).count(f'aria-label="{BAR}"') == 2


@pytest.mark.parametrize(("action", "count"), FIGURES.items())
def test_files_of_what_is_shown_follow_the_policy(desk: Desk, action: str, count: int) -> None:
    task = complete(desk.opened, LIST)
    rows = RowFilter(Chosen().choose(ACTION, action))
    is_mailed = action in ("keep", "review")
    assert count_rows(desk, task, Variant.SELECTION, rows=rows) == count * is_mailed
    assert count_rows(desk, task, Variant.REMOVED, rows=rows) == count * (not is_mailed)
    everything = [count_rows(desk, task, one) for one in (Variant.CLEANED, Variant.REMOVED)]
    assert everything == [27, 15]


def test_the_report_has_the_same_figures(desk: Desk, handed_out: dict[str, Any]) -> None:
    open_options(desk.open_project(LIST), "Report and link")
    (content,) = (found for label, (_, found) in handed_out.items() if "report" in label)
    assert BAR in content.decode()


def test_an_unknown_value_is_mailed_until_it_is_decided(desk: Desk) -> None:
    app = desk.open_list(LIST)
    assert "mailed until you decide" in read_markdown(app)
    assert find_control(app, "Gold 2").value is True
    find_control(app, "Gold 2").set_value(False).run()
    assert "mailed until you decide" not in read_markdown(app)
    press(app, "go_start")
    run(desk.opened)
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert count_rows(desk, task, Variant.CLEANED) == 25
    recipe = parse_recipe(write_recipe(make_recipe(task)))
    assert recipe.decisions == task.request.mail
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert app.link_button[0].value == "Download 25 rows"
    find_control(app, "Gold 2").set_value(True).run()
    assert app.link_button[0].value == "Download 27 rows"
    press(app, "mail_pending")
    assert app.link_button[0].value == "Download 28 rows"


def test_a_value_met_only_later_is_decided_on_the_project_page(desk: Desk) -> None:
    usual = [f"q{number}@firm.example,Ana,Subscribed\r\n" for number in range(5_000)]
    content = (HEAD + "".join([*usual, "z@firm.example,Ana,Gold 9\r\n"])).encode()
    upload = stage(desk.opened, content)
    head = desk.services.uploads.read_head(LOCAL_ACCOUNT, upload.upload_id, Choices())
    assert "Gold 9" not in head.values[2]
    task = complete(desk.opened, content)
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert "mailed until you decide" in read_markdown(app)
    find_control(app, "Gold 9").set_value(False).run()
    assert count_rows(desk, task, Variant.CLEANED) == 5_000


def test_a_click_on_the_shown_choice_confirms_it(desk: Desk) -> None:
    app = desk.open_list(LIST)
    find_control(app, "Gold 2").set_value(None).run()
    assert find_control(app, "Gold 2").value is True
    assert "mailed until you decide" not in read_markdown(app)


def test_a_column_is_taken_back_and_another_added(desk: Desk) -> None:
    task = complete(desk.opened, LIST)
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    press(app, "mail_about_2")
    assert app.link_button[0].value == "Download 36 rows"
    app.selectbox(key="mail_another").set_value(1).run()
    find_control(app, "Ana").set_value(False).run()
    assert count_rows(desk, task, Variant.CLEANED) == 0


def test_decisions_hold_for_the_same_headings_and_never_against_a_strong_no(desk: Desk) -> None:
    task = complete(desk.opened, LIST)
    decided = MailDecisions().decide_value("Status", "Unsubscribed", is_mailed=True)
    decided = decided.decide_value("Status", "Gold 2", is_mailed=False)
    desk.services.mail_choices.change(LOCAL_ACCOUNT, task.task_id, decided)
    assert count_rows(desk, task, Variant.CLEANED) == 27 - 2 + 5
    app = desk.open_list(LIST)
    assert find_control(app, "Gold 2").value is False
    assert find_control(app, "Unsubscribed").value is False, "asked again"
    other = desk.open_list(LIST.replace(b"Name", b"First"))
    assert find_control(other, "Gold 2").value is True


def test_empty_cells_are_counted_and_decided_like_any_value(desk: Desk) -> None:
    rows = ("a@firm.example,Ana,Subscribed", *("b@firm.example,Bo," + one for one in ("", "x")))
    content = (HEAD + "\r\n".join([*rows, "c@firm.example,Cy, "])).encode()
    app = desk.open_list(content)
    empty = find_control(app, "(empty)")
    assert (empty.value, "(empty)" in read_markdown(app)) == (True, True)
    empty.set_value(False).run()
    assert "**Status** says no in 2 rows." in read_markdown(app)
    assert "do not mail 66.7 %" in read_html(app)
    press(app, "go_start")
    run(desk.opened)
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert count_rows(desk, task, Variant.CLEANED) == 1
    row = desk.services.results.row(LOCAL_ACCOUNT, task.task_id, 2)
    said = desk.services.results.explain(LOCAL_ACCOUNT, task.task_id, row).evidence[0]
    assert said.rule == "Row 3 of list.csv says “(empty)” in the column Status."
    recipe = parse_recipe(write_recipe(make_recipe(task)))
    again = complete(desk.opened, content, mail=recipe.decisions)
    assert count_rows(desk, again, Variant.CLEANED) == 1
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    find_control(app, "(empty)").set_value(True).run()
    assert app.link_button[0].value == "Download 3 rows"
    find_control(app, "(empty)").set_value(False).run()
    assert app.link_button[0].value == "Download 1 row"


def test_what_is_entered_before_the_run_holds_in_every_session_and_run(desk: Desk) -> None:
    """A reload, Back, another tab, a restart; also where lists are cleaned without a look."""
    first, second = (stage(desk.opened, LIST).upload_id for _ in range(2))
    earlier = desk.open(page_urls.CLEAN, upload=first)
    app = desk.open(page_urls.CLEAN, upload=first)
    find_control(app, "Gold 2").set_value(False).run()
    app.text_input(key="go_name").set_value("Spring letter").run()
    assert not {"gold", "spring"} & {*" ".join(app.query_params.values()).casefold().split()}
    for again in (earlier.run(), desk.open(page_urls.CLEAN, upload=first)):
        assert find_control(again, "Gold 2").value is False
    assert again.text_input(key="go_name").value == "Spring letter"
    other = desk.open(page_urls.CLEAN, upload=second)
    assert find_control(other, "Gold 2").value is True, "of one list, until it is cleaned"
    press(desk.open(page_urls.CLEAN), "many_clean")
    run(desk.opened)
    mailed = {
        task.project_name: count_rows(desk, task, Variant.CLEANED)
        for task in desk.services.tasks.list(LOCAL_ACCOUNT)
    }
    assert mailed == {"Spring letter": 25, "list": 27}


def test_a_recalled_yes_holds_for_no_value_below_the_rows_that_were_read(desk: Desk) -> None:
    """Where lists are cleaned without a look."""
    known = MailDecisions().decide_value("Status", "Unsubscribed", is_mailed=True)
    desk.services.mail_choices.remember(LOCAL_ACCOUNT, ["email", "Name", "Status"], known)
    rows = "".join(f"p{number}@firma.example,Ana,Subscribed\r\n" for number in range(3_000))
    for last in ("Subscribed", "Unsubscribed"):
        stage(desk.opened, f"{HEAD}{rows}last@firma.example,Ana,{last}\r\n".encode())
    press(desk.open(page_urls.CLEAN), "many_clean")
    run(desk.opened)
    tasks = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert {count_rows(desk, task, Variant.CLEANED) for task in tasks} == {3_000, 3_001}


def test_a_decision_holds_for_the_next_list_beside_those_of_another_session(desk: Desk) -> None:
    for value in ("Gold 2", "Subscribed"):
        app = desk.open_list(LIST)
        find_control(app, value).set_value(False).run()
        press(app, "go_start")
    app = desk.open_list(LIST)
    assert [find_control(app, one).value for one in ("Gold 2", "Subscribed")] == [False, False]
    stage(desk.opened, LIST)
    press(desk.open(page_urls.CLEAN), "many_clean")
    run(desk.opened)
    tasks = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert sorted(count_rows(desk, one, Variant.CLEANED) for one in tasks) == [0, 0, 0, 25]


def test_people_who_say_both_are_counted_and_left_out(opened: Application, desk: Desk) -> None:
    rows = ["a@firm.example,Ana,Unsubscribed\r\n", "a@firm.example,Ana,Subscribed\r\n"]
    content = (HEAD + "".join([*rows, "b@firm.example,Bo,Subscribed\r\n"])).encode()
    stage(opened, content)
    app = desk.open_list(content)
    assert "**1 person** says no in one row and yes in another" in read_markdown(app)
    assert app.button_group(key="torn_people").options == ["left out", "only the kept row counts"]
    assert HOW_TO_LET_THE_NEWEST_DECIDE in read_captions(app)
    task = complete(opened, content)
    assert b"a@firm.example" not in download(opened, task, Variant.CLEANED)
    row = desk.services.results.row(LOCAL_ACCOUNT, task.task_id, 1)
    said = desk.services.results.explain(LOCAL_ACCOUNT, task.task_id, row).evidence[0]
    assert said.source == "The list"
    assert said.rule == "Row 2 of list.csv says “Unsubscribed” in the column Status."
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    app.button_group(key="torn_people").set_value(WhoDecides.KEPT).run()
    assert app.link_button[0].value == "Download 2 rows"


def test_a_page_that_is_loaded_again_counts_all_rows(desk: Desk) -> None:
    upload = stage(desk.opened, LIST + "".join(ROWS * 90).encode())
    for _ in range(2):
        app = desk.open(page_urls.CLEAN, upload=upload.upload_id)
        assert "Counted in the first" not in read_markdown(app)


def test_one_line_where_nothing_is_to_be_decided(desk: Desk) -> None:
    app = desk.open_list(LIST.replace(b"Gold 2", b"Subscribed"))
    (values,) = (one for one in app.expander if one.label == "Values and columns")
    assert not values.proto.expanded


@pytest.mark.parametrize(
    ("usual", "chosen"),
    [
        (WhoDecides.ANY_NO, None),
        (WhoDecides.ANY_NO, WhoDecides.NEWEST),
        (WhoDecides.ANY_NO, WhoDecides.KEPT),
        (WhoDecides.KEPT, None),
        (WhoDecides.KEPT, WhoDecides.ANY_NO),
    ],
)
def test_who_decides_is_chosen_before_the_run_and_holds_for_the_project(
    desk: Desk,
    handed_out: dict[str, tuple[str, Any]],
    usual: WhoDecides,
    chosen: WhoDecides | None,
) -> None:
    policies, no, yes = desk.services.policies, "Unsubscribed", "Subscribed"
    default = policies.find_default(LOCAL_ACCOUNT)
    choice = replace(default.choice, policy=default.choice.policy.let_decide(usual))
    policies.change(LOCAL_ACCOUNT, default.policy_id, choice=choice)
    rows = [("email", "Status", "Changed"), ("c@firm.example", yes, "2026-01-01")]
    rows += [("a@firm.example", no, "2026-01-01"), ("a@firm.example", yes, "2026-02-01")]
    rows += [("bo@gmail.com", no, "2026-02-01"), ("bo@googlemail.com", yes, "2026-01-01")]
    rows += [
        ("di@throwaway.example", no, "2026-01-01"),
        ("di@throwaway.example", yes, "2026-02-01"),
    ]
    app = desk.open_list(write_csv(rows), keep="newest", date="3")
    control = app.button_group(key="torn_people")
    assert (control.value, len(control.options)) == (usual, 3)
    assert HOW_TO_LET_THE_NEWEST_DECIDE not in read_captions(app)
    assert ("The shares above still leave them out." in read_captions(app)) is (usual != "any-no")
    if chosen is not None:
        control.set_value(chosen).run()
        assert app.query_params["both"] == chosen
    press(app, "go_start")
    run(desk.opened)
    (task,) = desk.services.tasks.list(LOCAL_ACCOUNT)
    assert task.request.who_decides == chosen
    app = desk.open(page_urls.PROJECT, task=task.task_id)
    assert app.button_group(key="torn_people").value == (chosen or usual)
    kept = 1 + [*WhoDecides].index(chosen or usual)
    assert app.link_button[0].value == f"Download {kept} row{'s' * (kept > 1)}"

    said = f"**3 rows** say yes, another row or removed duplicate of the person says no ({kept - 1}"
    assert f"{said} mailed):" in read_markdown(app)
    open_options(app, "Report and link")
    recipe = parse_recipe(handed_out["Download these settings"][1])
    assert (recipe.policy, recipe.who_decides) == ("Standard", chosen)
    assert "unsubscribed in an" not in read_markdown(app)
