"""Where bad addresses come from, on the project's page: sentences, clicks, what is never shown."""

import pytest
from streamlit.testing.v1 import AppTest

from components import page_urls
from components.hotspots import word_hotspot
from tests.applications import complete
from tests.pages.conftest import OpenPage, open_tab, read_html
from winnow.core.lists.own_columns import Dirt, Hotspot, OwnValue
from winnow.wiring import Application
from winnow.words import speaking

HEADING = "Where the bad addresses come from"
GOOD, BAD = b"u%d@mailboxes.example", b"u%d@throwaway.example"


def _make_list(*, has_source: bool = True, bad_paid: int = 30) -> bytes:
    lines = [b"email,source" if has_source else b"email,id"]
    for number in range(400):
        is_paid = number % 5 == 0
        is_bad = (is_paid and number // 5 < bad_paid) or number % 40 == 1
        source = b"Paid <b>Social*" if is_paid else b"Organic"
        address = (BAD if is_bad else GOOD) % number
        lines.append(address + b"," + (source if has_source else b"%d" % number))
    return b"\r\n".join(lines)


def _open(opened: Application, open_page: OpenPage, content: bytes, **query: str) -> AppTest:
    app = open_page(page_urls.PROJECT, task=complete(opened, content).task_id, **query)
    return open_tab(app, "looks", HEADING)


def test_a_sentence_says_it_and_a_click_filters(opened: Application, open_page: OpenPage) -> None:
    app = _open(opened, open_page, _make_list())
    button = app.button(key="hotspot_1.0")
    assert "75\\.0 % of all disposable addresses, 3\\.8 \u00d7 its share" in button.label
    assert "30 of 80 rows" in button.label
    assert "<b>" not in button.label
    button.click().run()
    assert not app.exception
    assert app.query_params["own"] == "1.0"
    assert all("Social" not in value for value in app.query_params.values())
    assert any("80 of 400 rows" in one.value for one in app.markdown)
    chip = app.button(key="drop_own_1.0")
    assert "source" in chip.label
    assert "Social" in chip.label
    app.button(key="hotspot_1.0").click().run()
    assert "own" not in app.query_params
    assert not app.exception


def test_a_value_in_the_address_filters_and_has_its_name(
    opened: Application, open_page: OpenPage
) -> None:
    app = _open(opened, open_page, _make_list(), own="1.1,9.9,ana@firm.de")
    assert app.button(key="drop_own_1.1").label == "source: Organic".replace(":", "\\:")
    assert app.button(key="drop_own_9.9").label == "A value that this list does not have"
    assert any("0 of 400 rows" in one.value for one in app.markdown)


def test_nothing_stands_out(opened: Application, open_page: OpenPage) -> None:
    app = _open(opened, open_page, _make_list(bad_paid=3))
    assert any("no value of the column “source” stands out" in one.value for one in app.caption)
    assert not [one for one in app.button if str(one.key).startswith("hotspot_")]


def test_without_columns_to_look_at_that_is_said(opened: Application, open_page: OpenPage) -> None:
    app = _open(opened, open_page, _make_list(has_source=False))
    assert "The list has no column with values that repeat." in [one.value for one in app.caption]


def test_values_stay_out_of_the_markup(opened: Application, open_page: OpenPage) -> None:
    assert "Social" not in read_html(_open(opened, open_page, _make_list()))


@pytest.mark.parametrize(
    ("dirt", "hits", "rows", "words"),
    [
        (
            Dirt.DISPOSABLE,
            41,
            680,
            "41.0 % of all disposable addresses, 6 \u00d7 its share",
        ),
        (
            Dirt.MISSPELT,
            50,
            100,
            "50.0 % of all misspelt addresses, 50 \u00d7 its share",
        ),
        (
            Dirt.REMOVED,
            15,
            1_000,
            "15.0 % of all rows left out, 1.5 \u00d7 its share",
        ),
    ],
)
def test_sentences(dirt: Dirt, hits: int, rows: int, words: str) -> None:
    found = Hotspot(OwnValue(1, 0), "source", "Ads", dirt, hits, rows, 100, 10_000)
    assert word_hotspot(found) == f"Ads (source): {words}"


def test_a_nameless_column_and_an_empty_cell_have_words() -> None:
    found = Hotspot(OwnValue(2, 0), " ", "", Dirt.ROLE, 50, 1_000, 100, 10_000)
    assert word_hotspot(found).startswith("(empty) (column 3): 50.0 % of all role accounts")
    with speaking("de"):
        assert "5" in word_hotspot(found)
