"""Every pair of filter actions on a project's page: count, chips, table and download agree."""

import csv
from collections.abc import Callable
from itertools import permutations

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import complete
from tests.pages.conftest import OpenPage, open_tab
from winnow.wiring import Application

EMAILS = [
    f"{name}{number}@{domain}"
    for name in ("ana", "paul")
    for domain in ("mailboxes.example", "throwaway.example", "firm.example")
    for number in range(3)
]
LIST = "\r\n".join(["email", *EMAILS, ""]).encode()


def choose_type(app: AppTest) -> None:
    app.multiselect(key="filter_type").set_value(["free"]).run()


def choose_domain(app: AppTest) -> None:
    app.multiselect(key="filter_domain").set_value(["mailboxes.example"]).run()


def sort(app: AppTest) -> None:
    app.segmented_control(key="rows_sort_down").set_value(True).run()


Keeps = Callable[[str], bool]
ACTIONS: dict[str, tuple[Callable[[AppTest], object], Keeps]] = {
    "pill": (
        lambda app: app.button_group(key="filter_category").set_value(["white"]).run(),
        lambda email: "throwaway" not in email,
    ),
    "type": (choose_type, lambda email: "mailboxes" in email),
    "domain": (choose_domain, lambda email: "mailboxes" in email),
    "search": (
        lambda app: app.text_input(key="filter_search").set_value("paul").run(),
        lambda email: "paul" in email,
    ),
    "sort": (sort, lambda email: True),
}


def judge(opened: Application, app: AppTest, wanted: list[str], chips: set[str]) -> None:
    """Compare count, chips, table and download with the addresses that are wanted."""
    assert not app.exception
    is_all = wanted == EMAILS
    count = "All 18 rows" if is_all else f"**{len(wanted)} of {len(EMAILS)} rows**"
    assert any(count in one.value for one in app.markdown)
    drops = {button.key for button in app.button if str(button.key).startswith("drop_")}
    assert drops == chips
    assert sorted(app.dataframe[-1].value["email"]) == sorted(wanted)
    open_tab(app, "rows_download")
    (link,) = (one for one in app.link_button if one.key == "download_selection")
    sent = opened.services.downloads.open(link.url.rpartition("/")[2])
    rows = csv.DictReader(b"".join(sent.read()).decode("utf-8-sig").splitlines())
    assert [row["email"] for row in rows] == wanted


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), list(permutations(ACTIONS, 2)))
def test_what_one_action_filters_the_next_one_keeps(
    opened: Application, open_page: OpenPage, first: str, second: str
) -> None:
    app = open_page(page_urls.PROJECT, task=complete(opened, LIST).task_id)
    open_tab(app, "more_filters")
    wanted, chips = EMAILS, set()
    for name in (first, second):
        act, keeps = ACTIONS[name]
        act(app)
        wanted = [email for email in wanted if keeps(email)]
        found = {"type": {"drop_type_free"}, "domain": {"drop_domain_mailboxes.example"}}
        chips |= found.get(name, set())
        judge(opened, app, wanted, chips)
    app.button(key="clear_filters").click().run()
    judge(opened, app, EMAILS, set())
