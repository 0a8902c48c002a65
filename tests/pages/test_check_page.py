"""One address, or a few, on the Check page."""

from streamlit.testing.v1 import AppTest

from backend.bootstrap import House
from backend.core.accounts import LOCAL_ACCOUNT
from tests.pages.conftest import OpenPage, read_html


def ask(app: AppTest, text: str) -> AppTest:
    """Show the answer to a text, as after a submit: the field itself lives in the browser."""
    app.session_state["check_text"] = text
    app.run()
    assert not app.exception
    return app


def test_an_empty_desk_says_that_nothing_is_charged(open_page: OpenPage) -> None:
    app = open_page()
    assert app.title[0].value == "Check an address"
    assert any("not charged" in caption.value for caption in app.caption)
    assert not app.dataframe


def test_one_address_gets_its_verdict_evidence_and_nine_fields(open_page: OpenPage) -> None:
    app = ask(open_page(), "one@throwaway.example")
    shown = read_html(app)
    assert (
        "throwaway.example is a throw-away mail service: on 2 lists, newest of 2 Mar 2026" in shown
    )
    assert "w-black" in shown
    assert "● remove" in shown
    assert '"remaining_attempts_before_ban": 5' in app.code[0].value
    assert len(app.code[0].value.splitlines()) == 9 + 2


def test_white_is_no_known_problem_and_never_valid(open_page: OpenPage) -> None:
    shown = read_html(ask(open_page(), "one@mailboxes.example")).lower()
    assert "no known problem" in shown
    assert "valid" not in shown.replace("invalid", "")
    assert "deliverable" not in shown


def test_an_address_that_looks_like_markup_stays_text(open_page: OpenPage) -> None:
    shown = read_html(ask(open_page(), "<script>alert(1)</script>"))
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_several_lines_become_a_table(open_page: OpenPage) -> None:
    app = ask(open_page(), "one@mailboxes.example\n\n two@throwaway.example \nnobody")
    table = app.dataframe[0].value
    assert list(table["address"]) == ["one@mailboxes.example", "two@throwaway.example", "nobody"]
    assert [chips[0] for chips in table["category"]] == ["○ white", "● black", "● black"]


def test_recent_checks_are_listed_and_cleared(house: House, open_page: OpenPage) -> None:
    checks = house.services.checks
    checks.remember(LOCAL_ACCOUNT, checks.check(LOCAL_ACCOUNT, "one@throwaway.example"))
    app = open_page()
    assert list(app.dataframe[0].value["address"]) == ["one@throwaway.example"]
    app.button(key="clear_recent").click().run()
    assert not app.exception
    assert not checks.recent(LOCAL_ACCOUNT)
    assert not app.dataframe


def test_a_suggestion_is_a_button_that_checks_it(house: House, open_page: OpenPage) -> None:
    app = ask(open_page(), "Ana <ana@mailboxes.example>")
    app.button(key="suggestion").click().run()
    assert not app.exception
    assert "w-white" in read_html(app)
    recent = house.services.checks.recent(LOCAL_ACCOUNT)
    assert [check.email for check in recent] == ["ana@mailboxes.example"]
