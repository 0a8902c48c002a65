"""What is removed is chosen on the project's page, by name too; files and the address follow."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from components.kit.project_view import list_choice_params, read_choice
from tests.applications import CHECKED_LIST, Clock, complete
from tests.pages.conftest import Desk, open_options, press, read_html
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice
from winnow.core.lists.file_format import NEW_FORMATS, TRAITS, FileFormat
from winnow.core.lists.named_policy import SHIPPED
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Category
from winnow.lists.recipe import parse_recipe
from winnow.wiring import Application

HEAD, FREE, DISPOSABLE, INVALID = CHECKED_LIST.splitlines(keepends=True)


def open_project(desk: Desk, **query: str) -> AppTest:
    app = desk.open_project(**query)
    return open_options(app, "Rows to leave out")


def read_link(opened: Application, app: AppTest, number: int = 0) -> tuple[str, bytes]:
    """Follow a link; return the file's name and content."""
    sent = opened.services.downloads.open(app.link_button[number].url.rpartition("/")[2])
    return sent.file_name, b"".join(sent.read_content())


def choose(app: AppTest, *grounds: Ground) -> None:
    app.button_group(key="policy_grounds").set_value(list(grounds)).run()


def test_black_goes_until_something_else_is_chosen(desk: Desk) -> None:
    app = open_project(desk)
    assert "2 remove = <strong>1</strong>" in read_html(app)
    (reasons,) = (one.value for one in app.dataframe if "share" in one.value)
    assert "disposable service on independent lists" in set(reasons["name"])
    offered = app.button_group(key="policy_grounds")
    assert list(offered.options) == ["✕ remove 2", "free providers 1"]
    choose(app, Ground.FREE_PROVIDER)
    assert app.query_params["goes"] == "free"
    assert "1 remove = <strong>2</strong>" in read_html(app)
    assert app.link_button[0].value == "Download 2 rows"
    assert read_link(desk.opened, app) == ("spring-kept.csv", HEAD + DISPOSABLE + INVALID)
    choose(app)
    assert app.query_params["goes"] == "nothing"
    assert "0 remove = <strong>3</strong>" in read_html(app)
    choose(app, Ground.BLACK, Ground.FREE_PROVIDER)
    assert "3 remove = <strong>0</strong>" in read_html(app)
    assert app.link_button[0].disabled


@pytest.mark.slow
def test_how_the_files_look(desk: Desk) -> None:
    app = open_options(open_project(desk), "Columns")
    app.checkbox(key="file_reason").check().run()
    app.checkbox(key="file_safe").check().run()
    app.selectbox(key="file_format").set_value(FileFormat.TSV).run()
    assert app.query_params["with"] == "reason,safe"
    assert app.query_params["as"] == "tsv"
    name, content = read_link(desk.opened, app)
    assert name == "spring-cleaned.tsv"
    assert content.decode("utf-8-sig").splitlines() == [
        "id\temail\tcategory\tdomain_type\treason",
        "02\tONE@mailboxes.example\twhite\tfree\tfree_provider",
    ]


def test_a_workbook_needs_no_apostrophes_and_holds_not_every_count_of_rows(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_project(desk, **{"as": "xlsx", "with": "safe"})
    open_options(app, "Columns")
    assert app.checkbox(key="file_safe").disabled
    name, _ = read_link(desk.opened, app)
    assert name == "spring-cleaned.xlsx"
    monkeypatch.setitem(TRAITS, FileFormat.XLSX, replace(FileFormat.XLSX.traits, most_rows=0))
    app.run()
    assert app.link_button[0].disabled
    assert any("Choose CSV" in caption.value for caption in app.caption)


def test_own_lists_show_in_what_goes(desk: Desk) -> None:
    task = complete(desk.opened)
    desk.services.own_lists.add(LOCAL_ACCOUNT, "throwaway.example", Category.GREY)
    desk.services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.WHITE)
    app = desk.open(page_urls.PROJECT, task=task.task_id, goes="black,own-grey,free")
    open_options(app, "Rows to leave out")
    options = app.button_group(key="policy_grounds").options
    assert list(options) == ["✕ remove 1", "◐ your review list 1", "free providers 0"]
    assert "2 remove = <strong>1</strong>" in read_html(app)


def test_what_no_address_can_say_is_the_default() -> None:
    goes = ("ana@firm.de,<script>", "", "black,black,")
    for query in (*({"goes": text} for text in goes), {"as": "pdf", "with": "everything"}):
        assert read_choice(query) == NOTHING_CHOSEN, query


def test_the_report_and_the_settings_name_nobody(
    desk: Desk, handed_out: dict[str, tuple[str, Any]]
) -> None:
    app = open_options(desk.open_project(), "Report and link")
    name, page = handed_out["Download the report"]
    assert name == "spring-report.html"
    assert not re.search(r"\w@\w", page.decode())
    _, settings = handed_out["Download these settings"]
    recipe = parse_recipe(settings)
    assert (recipe.email_column, recipe.policy) == ("email", "Standard")
    assert "@" not in settings
    choose(open_options(app, "Rows to leave out"), Ground.FREE_PROVIDER)
    open_options(app, "Report and link")  # both follow what goes
    assert parse_recipe(handed_out["Download these settings"][1]).policy is None
    page = handed_out["Download the report"][1].decode()
    assert "Chosen: free providers." in page
    assert '<td>✕ remove</td><td class="number">1</td>' in page


def test_the_link_to_share_says_until_when_it_is_valid(desk: Desk, clock: Clock) -> None:
    task_id, pages = complete(desk.opened).task_id, []
    for seconds in (0, desk.opened.settings.link_refresh_seconds):  # again in another tab
        clock.now += timedelta(seconds=seconds)
        app = desk.open(page_urls.PROJECT, task=task_id)
        pages.append(open_options(app, "Report and link"))
    until = "Until 20 Nov 2026, 13:00 UTC, anyone with this link can download the cleaned list:"
    assert all(until in [caption.value for caption in page.caption] for page in pages)
    assert len({page.code[0].value for page in pages}) == 1


B2B = SHIPPED[2]
GROUPS = b"email,country,revenue\r\n" + b"".join(
    b"%s@%s,%s,%s\r\n" % (local, domain, country, revenue)
    for local, domain, country, revenue in (
        (b"a", b"mailboxes.example", b"DE", b"100.00"),
        (b"b", b"mailboxes.example", b"DE", b"20.50"),
        (b"c", b"firm.example", b"AT", b"300"),
        (b"d", b"firm.example", b"AT", b"n/a"),
        (b"e", b"throwaway.example", b"AT", b"79.50"),
    )
)


@pytest.fixture
def app(desk: Desk) -> AppTest:
    app = desk.open_project(GROUPS)
    return open_options(app, "Rows to leave out")


def test_a_policy_is_picked(app: AppTest) -> None:
    picker = app.selectbox(key="policy_choice")
    assert picker.options == ["Standard (default)", "Newsletter (careful)", "B2B outreach"]
    assert picker.value == "standard"
    assert "goes" not in app.query_params
    picker.set_value("b2b").run()
    assert read_choice(app.query_params) == B2B.choice
    assert "3 remove = <strong>2</strong>" in read_html(app)
    assert app.selectbox(key="policy_choice").value == "b2b"


def test_a_choice_is_saved_under_a_name_that_is_free(opened: Application, app: AppTest) -> None:
    open_options(app, "Columns").checkbox(key="file_reason").check().run()
    open_options(app, "Rows to leave out")
    assert app.selectbox(key="policy_choice").options[0] == "Your own choice, not saved"
    app.text_input(key="policy_new_name").set_value("b2b OUTREACH")
    press(app, "policy_create")
    assert any("The name belongs to another policy already" in one.value for one in app.error)
    assert app.text_input(key="policy_new_name").value == "b2b OUTREACH"
    assert opened.services.policies.list(LOCAL_ACCOUNT) == SHIPPED
    app.text_input(key="policy_new_name").set_value("With reasons")
    press(app, "policy_create")
    made = opened.services.policies.list(LOCAL_ACCOUNT)[-1]
    assert (made.name, made.choice) == ("With reasons", DownloadChoice(adds_reason=True))
    assert app.selectbox(key="policy_choice").value == made.policy_id


def test_the_default_holds_where_nothing_is_chosen(desk: Desk) -> None:
    desk.services.policies.change(LOCAL_ACCOUNT, "b2b", is_default=True)
    app = desk.open_project(GROUPS)
    open_options(app, "Rows to leave out")
    assert app.selectbox(key="policy_choice").value == "b2b"
    assert "3 remove = <strong>2</strong>" in read_html(app)
    app.selectbox(key="policy_choice").set_value("standard").run()
    assert "1 remove = <strong>4</strong>" in read_html(app)
    assert app.query_params["goes"] == "black"


CHOICES = st.builds(
    DownloadChoice,
    st.builds(CleaningPolicy, st.frozensets(st.sampled_from(Ground))),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, *NEW_FORMATS]),
)


@given(CHOICES, CHOICES)
def test_a_choice_survives_the_address_whatever_the_default(
    choice: DownloadChoice, default: DownloadChoice
) -> None:
    params: dict[str, str] = {"task": "1", "goes": "black", "as": "tsv"}
    params = {**params, **list_choice_params(choice, default)}
    params = {name: value for name, value in params.items() if value}
    assert read_choice(params, default) == choice
    assert choice != default or params == {"task": "1"}
