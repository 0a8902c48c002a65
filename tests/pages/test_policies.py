"""Named policies on the project's page: picked, saved, changed, deleted, compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from components.project.view import list_choice_params, read_choice
from tests.pages.conftest import Desk, find_tables, open_options, open_tab, read_html
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.file_format import NEW_FORMATS
from winnow.core.lists.named_policy import SHIPPED
from winnow.core.verdicts.domain_types import Ground
from winnow.wiring import Application

STANDARD, NEWSLETTER, B2B = SHIPPED
LIST = b"email,country,revenue\r\n" + b"".join(
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
    app = desk.open_project(LIST)
    return open_options(app, "Rows to leave out")


def test_a_policy_is_picked(app: AppTest) -> None:
    picker = app.selectbox(key="policy_choice")
    assert picker.options == ["Standard (default)", "Newsletter (careful)", "B2B outreach"]
    assert picker.value == "standard"
    assert "goes" not in app.query_params
    picker.set_value("b2b").run()
    assert read_choice(app.query_params) == B2B.choice
    assert "3 removed = <strong>2</strong>" in read_html(app)
    assert app.selectbox(key="policy_choice").value == "b2b"


def test_a_choice_without_a_name_is_saved_under_one(opened: Application, app: AppTest) -> None:
    open_options(app, "Columns").checkbox(key="file_reason").check().run()
    open_options(app, "Rows to leave out")
    assert app.selectbox(key="policy_choice").options[0] == "Your own choice, not saved"
    app.text_input(key="policy_new_name").set_value("With reasons")
    app.button(key="policy_create").click().run()
    made = opened.services.policies.list(LOCAL_ACCOUNT)[-1]
    assert (made.name, made.choice) == ("With reasons", DownloadChoice(adds_reason=True))
    assert app.selectbox(key="policy_choice").value == made.policy_id


@pytest.mark.slow
def test_a_taken_name_is_refused_and_nothing_is_lost(opened: Application, app: AppTest) -> None:
    open_options(app, "Columns").checkbox(key="file_reason").check().run()
    open_options(app, "Rows to leave out")
    app.text_input(key="policy_new_name").set_value("b2b OUTREACH")
    app.button(key="policy_create").click().run()
    assert any("The name belongs to another policy already" in one.value for one in app.error)
    assert app.text_input(key="policy_new_name").value == "b2b OUTREACH"
    assert opened.services.policies.list(LOCAL_ACCOUNT) == SHIPPED


def test_the_default_holds_where_nothing_is_chosen(desk: Desk) -> None:
    desk.services.policies.make_default(LOCAL_ACCOUNT, "b2b")
    app = desk.open_project(LIST)
    open_options(app, "Rows to leave out")
    assert app.selectbox(key="policy_choice").value == "b2b"
    assert "3 removed = <strong>2</strong>" in read_html(app)
    app.selectbox(key="policy_choice").set_value("standard").run()
    assert "1 removed = <strong>4</strong>" in read_html(app)
    assert app.query_params["goes"] == "black"


def test_policies_side_by_side(app: AppTest) -> None:
    open_tab(app, "tabs", "Breakdown")
    [frame] = find_tables(open_tab(app, "breakdown_shown", "policies"), "Policy")
    assert frame["Policy"].tolist() == [one.name for one in SHIPPED]
    assert frame["Kept"].tolist() == [4, 4, 2]
    assert frame["Left out"].tolist() == [1, 1, 3]
    assert frame["free providers"].tolist() == [0, 0, 2]


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
