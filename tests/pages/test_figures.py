"""Figures and defaults of every page, by a list and a use in which every count differs."""

import re
from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import KNOWN, Clock, OpenApplication, complete, measure_use, stage
from tests.pages.conftest import Desk, find_tables, open_options, open_tab, press, read_html
from winnow.core.figures import show_size
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.facts import DomainFacts
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

KEEP, REVIEW, NO, REMOVE, DUPLICATES, BLANK, SINGLE, BLACK = 13, 4, 5, 9, 6, 2, 3, 1


def write_list(**counts: int) -> bytes:
    """Return a list with rows of each kind: its local part is the kind."""
    domains = {"grey": "grey.example", "gone": "throwaway.example"}
    rows = [
        f"{kind}{number}@{domains.get(kind, 'mailboxes.example')},{'yes' if kind == 'no' else 'no'}"
        for kind, count in counts.items()
        for number in range(count)
    ]
    return "\r\n".join(["email,unsubscribed", *rows, ""]).encode()


LIST = write_list(keep=KEEP, grey=REVIEW, no=NO, gone=REMOVE - BLANK) + (
    b"keep0@mailboxes.example,no\r\n" * DUPLICATES + b"bad a@@b,no\r\nbad b@@b,no\r\n"
)
LATER = write_list(keep=12, grey=3, no=2, gone=1, new=8)
RESULT = {"keep": KEEP, "review": REVIEW, "do-not-mail": NO, "remove": REMOVE}
LATER_RESULT = {"keep": 20, "review": 3, "do-not-mail": 2, "remove": 1}
IN, OUT, LATER_OUT = 37, 31, 26


@pytest.fixture
def opened(open_application: OpenApplication) -> Application:
    """A backend with an earlier and a later project, and calls of the API."""
    built = open_application(known=KNOWN | {"grey.example": DomainFacts("grey.example")})
    services = built.services
    services.own_lists.add(LOCAL_ACCOUNT, "grey.example", Category.GREY)
    key, _ = services.keys.create(LOCAL_ACCOUNT, "shop", KeyType.LIVE)
    for _ in range(SINGLE - BLACK):
        services.checks.check_for_key(key, "203.0.113.9", "one@mailboxes.example")
    services.checks.check_for_key(key, "203.0.113.9", "one@throwaway.example")
    return built


@pytest.fixture
def tasks(opened: Application, clock: Clock) -> tuple[str, str]:
    earlier = complete(opened, LIST, project_name="earlier").task_id
    clock.advance(hours=1)
    return earlier, complete(opened, LATER, project_name="later").task_id


def read_bars(app: AppTest) -> list[dict[str, int]]:
    """Return the counts by action that each bar and its legend show, which must agree."""
    found = []
    for markup in (str(one.value) for one in app.html if 'class="w-legend"' in str(one.value)):
        legend = re.findall(r'w-chip w-([a-z-]+)">.*?w-count">(\d+)<', markup)
        counts = {action: int(count) for action, count in legend}
        drawn = re.findall(r'w-part w-([a-z-]+)" style="flex-grow:(\d+)"', markup)
        assert [one for one, _ in drawn] == [one for one, count in counts.items() if count]
        found.append(counts)
    return found


def read_project(app: AppTest) -> dict[str, Any]:
    minus = "\N{MINUS SIGN}"
    (said,) = re.findall(r'w-sum">(.*?)</p>', read_html(app))
    sum_of = [int(one) for one in re.findall(r"\d+", said.replace(minus, " "))]
    return {
        "bars": read_bars(app),
        "sum": sum_of,
        "review": app.button(key="leave_review").label,
        "download": app.link_button[0].value,
        "rows": len(app.dataframe[-1].value),
        "mail": [one.value for one in app.markdown if "says no" in one.value],
        "filters": [
            list(one.value or []) for one in app.button_group if one.key == "filter_action"
        ],
    }


def read_projects(app: AppTest) -> dict[str, Any]:
    table = app.dataframe[0].value
    return {name: table[name].tolist() for name in ("name", "rows", "remove", "left")}


def read_compare(app: AppTest) -> dict[str, Any]:
    return {
        "differences": list(app.button_group(key="compare_difference").options),
        "same": [one.value for one in app.caption if "treated as before" in one.value],
        "bars": read_bars(app),
        "shown": [one.value for one in app.caption if "Addresses" in one.value],
        "file": app.link_button[0].value,
    }


def read_use(app: AppTest) -> dict[str, Any]:
    (table,) = find_tables(app, "In lists")
    (text,) = [one.value for one in app.markdown if "addresses counted" in one.value]
    found = [int(one) for one in re.findall(r"\d+", text)]
    badges = [one.value for one in app.markdown if "attempt" in one.value]
    return {"text": found, "table": table.iloc[0, 1:].tolist(), "attempts": badges}


def read_clean(app: AppTest) -> dict[str, Any]:
    boxes = chain(app.checkbox, app.toggle)
    (keep,) = [one for one in app.selectbox if str(one.key).endswith("_keep")]
    of_list = str(keep.key).removesuffix("keep")
    return {str(one.key).replace(of_list, "go_"): one.value for one in boxes} | {
        "keep": keep.value,
        "bars": read_bars(app),
        "start": app.button(key="go_start").label,
        "duplicates": f"{DUPLICATES} duplicates will be removed. {OUT} rows are left."
        in read_html(app),
    }


def read_lists(app: AppTest) -> dict[str, Any]:
    table = app.dataframe[0].value
    boxes = {str(one.key): one.value for one in app.selectbox}
    return {"entries": table.iloc[:, :2].values.tolist()} | boxes


def read_switches(app: AppTest) -> dict[str, Any]:
    return {str(one.key): one.value for one in app.toggle}


def read_files(app: AppTest) -> list[str]:
    return [one.value for one in app.link_button]


@pytest.mark.parametrize(
    ("place", "query", "read", "expected"),
    [
        pytest.param(
            page_urls.PROJECT,
            {"task": 0},
            read_project,
            {
                "bars": [RESULT],
                "sum": [IN, DUPLICATES, REMOVE, NO, KEEP + REVIEW],
                "review": f"{REVIEW} to review: leave them out",
                "download": f"Download {KEEP + REVIEW} rows",
                "rows": OUT,
                "mail": [
                    f"**unsubscribed** says no in {NO} rows. "
                    f"{DUPLICATES} removed duplicates are not counted: a no that you choose "
                    "here holds for them once the list is cleaned again."
                ],
                "filters": [[]],
            },
            id="project",
        ),
        pytest.param(
            page_urls.PROJECTS,
            {},
            read_projects,
            {
                "name": ["later", "earlier"],
                "rows": [LATER_OUT, OUT],
                "remove": [round(1 / LATER_OUT, 3), round(REMOVE / OUT, 3)],
                "left": [30, 30],
            },
            id="projects",
        ),
        pytest.param(
            page_urls.COMPARE,
            {"before": 0, "now": 1},
            read_compare,
            {
                "differences": ["New 8", "Gone 13", "Newly said no 0", "Turned bad 0"],
                "same": ["18 addresses are in both lists and treated as before."],
                "bars": [RESULT, LATER_RESULT],
                "shown": [
                    "Addresses that only the later list has: "
                    "8 ✓ keep, 0 ◐ review, 0 ⊘ do not mail, 0 ✕ remove"
                ],
                # Of those that are gone, who said no is not in the file.
                "file": f"Download differences to mail: {8 + 13 - (NO - 2)} addresses, CSV",
            },
            id="compare",
        ),
        pytest.param(
            page_urls.SETTINGS,
            {"tab": "api"},
            read_use,
            {
                "text": [OUT - BLANK + LATER_OUT + SINGLE, 30, OUT - BLANK + LATER_OUT, SINGLE],
                "table": [str(OUT - BLANK + LATER_OUT), str(SINGLE)],
                "attempts": [":gray-badge[4 attempts left]"],
            },
            id="use",
        ),
        pytest.param(
            page_urls.RULES,
            {},
            read_lists,
            {
                "entries": [["grey.example", "◐ Always review"]],
                "own_category": Category.WHITE,
                "own_file_category": Category.BLACK,
            },
            id="rules",
        ),
        pytest.param(
            page_urls.SETTINGS,
            {},
            read_switches,
            {f"network_{name}": False for name in ("dns", "rdap", "hooks", "refresh")},
            id="network",
        ),
    ],
)
def test_figures_and_defaults_of_a_page(
    desk: Desk,
    tasks: tuple[str, str],
    place: Any,
    query: dict[str, Any],
    read: Callable[[AppTest], dict[str, Any]],
    expected: dict[str, Any],
) -> None:
    asked = {name: tasks[one] if isinstance(one, int) else one for name, one in query.items()}
    assert read(desk.open(place, **asked)) == expected


def test_figures_and_defaults_before_a_run(desk: Desk) -> None:
    assert read_clean(desk.open_list(LIST)) == {
        "go_repair": False,
        "go_deduplicate": True,
        "go_join_aliases": False,
        "look_duplicates": False,
        "keep": "last",
        "bars": [RESULT],
        "start": f"Clean {IN} rows",
        "duplicates": True,
    }


def test_space_kept_for_a_result_counts_as_used(desk: Desk) -> None:
    stage(desk.opened, LIST)
    used, reserved = measure_use(desk.opened)
    assert reserved
    app = desk.open(page_urls.PROJECTS)
    use = desk.services.usage.storage(LOCAL_ACCOUNT)
    free, whole = show_size(use.free_bytes), show_size(use.quota_bytes)
    said = f"{show_size(used + reserved)} of {whole} used. A list of up to {free} still fits."
    assert free != whole
    assert app.progress[0].text == said


def test_files_hold_what_the_policy_says(desk: Desk, tasks: tuple[str, str]) -> None:
    app = open_options(desk.open(page_urls.PROJECT, task=tasks[0]))
    assert read_files(app) == [
        f"Download {KEEP + REVIEW} rows",
        f"Removed rows: {REMOVE + NO} rows",
        f"Rows to review: {REVIEW} rows",
        f"Whole list with category and domain type: {OUT} rows",
        "Everything in one zip file, with the report",
    ]
    press(app, "leave_review")
    assert read_files(app)[:2] == [
        f"Download {KEEP} rows",
        f"Removed rows: {REMOVE + NO + REVIEW} rows",
    ]


def test_figures_of_policies_side_by_side(desk: Desk, tasks: tuple[str, str]) -> None:
    app = open_tab(desk.open(page_urls.PROJECT, task=tasks[0]), "tabs", "Breakdown")
    open_tab(app, "compare_policies")
    (table,) = find_tables(app, "Left out")
    assert table.values.tolist() == [
        ["Standard", KEEP + REVIEW, REVIEW, REMOVE + NO, REMOVE, NO, 0],
        ["Newsletter (careful)", KEEP + REVIEW, REVIEW, REMOVE + NO, REMOVE, NO, 0],
        ["B2B outreach", REVIEW, REVIEW, REMOVE + NO + KEEP, REMOVE, NO, KEEP],
    ]


def test_figures_of_a_chart_as_a_table(desk: Desk, tasks: tuple[str, str]) -> None:
    app = open_tab(desk.open(page_urls.PROJECT, task=tasks[0]), "tabs", "Breakdown")
    open_tab(app, "table_type")
    (table,) = find_tables(app, "share")
    by_name = {name: (figures[:-1], figures[-1]) for name, *figures in table.values.tolist()}
    assert by_name == {
        name: ([sum(counts), *counts], pytest.approx(100 * sum(counts) / OUT))
        for name, counts in {
            "free provider": [KEEP, 0, NO, 0],
            "disposable": [0, 0, 0, REMOVE - BLANK],
            "on your review list": [0, REVIEW, 0, 0],
            "invalid": [0, 0, 0, BLANK],
        }.items()
    }


def test_figures_of_an_own_column(desk: Desk, tasks: tuple[str, str]) -> None:
    app = open_tab(desk.open(page_urls.PROJECT, task=tasks[0]), "more_filters")
    app.selectbox(key="own_column").set_value(1).run()
    (table,) = find_tables(app, "bad")
    assert table.values.tolist() == [[False, "no", 26, 900 / 26], [False, "yes", 5, 100.0]]


def test_own_lists_change_what_is_compared_at_once(desk: Desk, tasks: tuple[str, str]) -> None:
    query = {"before": tasks[0], "now": tasks[1]}
    desk.open(page_urls.COMPARE, **query)
    desk.services.own_lists.add(LOCAL_ACCOUNT, "new0@mailboxes.example", Category.BLACK)
    found = read_compare(desk.open(page_urls.COMPARE, **query))
    assert found["bars"] == [RESULT, LATER_RESULT | {"keep": 19, "remove": 2}]
    assert "7 ✓ keep, 0 ◐ review, 0 ⊘ do not mail, 1 ✕ remove" in found["shown"][0]
