"""After sign-in one stands on the page that was asked for, and never on another host's."""

import html
import re

import pytest

from tests.api.conftest import OpenDesk
from winnow.api.middleware.sign_in import find_way_back
from winnow.core.accounts import COOKIE_NAME

PASSWORD = "a long password"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("/project?task=1&black=hide", "/project?task=1&black=hide"),
        ("/own-lists", "/own-lists"),
        ("/", "/"),
        ("", "/"),
        ("//evil.test/a", "/"),
        ("/\\evil.test", "/"),
        ("/\t/evil.test", "/"),
        ("/a\r\nSet-Cookie: a=b", "/"),
        ("https://evil.test", "/"),
        ("javascript:alert(1)", "/"),
        ("evil.test", "/"),
        ("/desk/sign-out", "/"),
        ("/\u2028", "/"),
    ],
)
def test_the_way_back_is_a_page_of_ours(asked: str, found: str) -> None:
    assert find_way_back(asked) == found


def test_sign_in_returns_to_the_page_that_was_asked_for(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_PASSWORD=PASSWORD)
    client = desk.client(Accept="text/html")
    form = client.get(client.get("/project?task=1&q=a%26b").headers["location"])
    action = re.search(r'action="([^"]+)"', form.text)
    assert action is not None
    path = html.unescape(action[1])
    wrong = client.post(path, data={"password": "guess"})
    assert f'action="{action[1]}"' in wrong.text
    right = client.post(path, data={"password": PASSWORD})
    assert right.headers["location"] == "/project?task=1&q=a%26b"
    assert COOKIE_NAME in right.headers["set-cookie"]
