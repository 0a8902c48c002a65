"""The charts of a project: which bars, what they say, what stays where it is."""

import pytest

from components.kit.charts import build_bar_chart, choose_bars
from components.project.breakdown import describe, word_rest
from winnow.core.lists.dimensions import (
    ACTION,
    DIMENSIONS,
    DOMAIN,
    DOMAIN_TYPE,
    REASON,
    Bar,
    Facet,
)
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Action

GMAIL, GMX, FIRM = (
    Bar("gmail.com", (70, 10, 0, 0, 0)),
    Bar("gmx.de", (0, 0, 3, 12, 0)),
    Bar("x.de", (5, 0, 0, 0, 0)),
)
FACET = Facet((GMAIL, GMX, FIRM), whole=120, valued=110, distinct=9)
NOTHING: frozenset[str] = frozenset()


def test_a_chosen_bar_is_drawn_however_small() -> None:
    assert choose_bars(FACET, NOTHING, 2) == [GMAIL, GMX]
    assert choose_bars(FACET, frozenset({"x.de"}), 2) == [GMAIL, FIRM]
    assert choose_bars(FACET, frozenset({"gone.example"}), 3) == [GMAIL, GMX, FIRM]


def draw(chosen: frozenset[str] = NOTHING, bars: tuple[Bar, ...] = FACET.bars) -> dict:
    return build_bar_chart(bars, str, FACET.whole, chosen, 5).to_dict()


def test_parts_of_a_bar_follow_one_another_in_the_order_of_the_actions() -> None:
    parts = draw()["data"][:4]
    assert [(part["name"], list(part["x"]), list(part["base"])) for part in parts] == [
        ("keep", [70, 5], [0, 0]),
        ("review", [10], [70]),
        ("do-not-mail", [3], [0]),
        ("remove", [12], [3]),
    ]


def test_names_and_figures_are_text_beside_the_bars() -> None:
    texts = [note["text"] for note in draw(frozenset({"gmx.de"}))["layout"]["annotations"]]
    assert texts[:3] == [
        "✓ gmail.com",
        "<b>▸ ✕ gmx.de</b>",
        "✓ x.de",
    ]
    assert texts[3:] == ["80  66.7 %", "15  12.5 %", "5  4.2 %"]
    chart = draw(bars=(Bar("<b>&amp;", (1, 0, 0, 0, 0)),))
    assert chart["layout"]["annotations"][0]["text"] == "✓ &lt;b&gt;&amp;amp;"
    assert "<b>&lt;b&gt;" in chart["data"][-1]["hovertext"][0]


@pytest.mark.parametrize("bars", [(), (FIRM,), FACET.bars], ids=["none", "one", "three"])
def test_height_stays_while_bars_come_and_go(bars: tuple[Bar, ...]) -> None:
    layout = draw(bars=bars)["layout"]
    assert layout["height"] == draw()["layout"]["height"]
    assert list(layout["yaxis"]["range"]) == [4.5, -0.5]


def test_the_finding_in_words() -> None:
    assert describe(DOMAIN, FACET) == (
        "Top domains of 120 rows: gmail.com 66.7 % (80), mostly ✓ keep; gmx.de 12.5 % (15), mostly "
        "✕ remove; x.de 4.2 % (5), mostly ✓ keep"
    )
    assert describe(DOMAIN_TYPE, Facet((), 0, 0, 0)) == "Domain types: no row matches"


def test_what_a_chart_leaves_out_is_said() -> None:
    assert word_rest(DOMAIN, FACET, [GMAIL, GMX]) == (
        "and 7 more; without a domain: 10 rows (8.3 %)"
    )
    whole = Facet((GMAIL,), whole=80, valued=80, distinct=1)
    assert word_rest(DOMAIN_TYPE, whole, [GMAIL]) == "All values are shown."


def test_names_of_dimensions_tell_them_apart() -> None:
    assert len({dimension.name for dimension in DIMENSIONS}) == len(DIMENSIONS)
    assert {"black", "page", "task"}.isdisjoint(dimension.name for dimension in DIMENSIONS)


def test_every_reason_and_action_has_words() -> None:
    for reason in Reason:
        assert REASON.label(reason.value)[0].isupper()
    for action in Action:
        assert ACTION.label(action.value) == f"{action.shape} {action.words}"
