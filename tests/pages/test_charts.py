"""The tables of a project's breakdown: what they leave out, their bars, their words."""

import re
from urllib.parse import unquote

from components.kit.charts import render_bar
from components.project.breakdown import word_rest
from winnow.core.lists.dimensions import ACTION, DIMENSIONS, DOMAIN, DOMAIN_TYPE, REASON, Bar, Facet
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Action


def test_parts_of_a_bar_follow_one_another_in_the_order_of_the_actions() -> None:
    drawn = unquote(render_bar((60, 10, 0, 10, 0), largest=160))
    parts = re.findall(r"x='([\d.]+)' y='7' width='([\d.]+)'", drawn)
    assert [tuple(map(float, part)) for part in parts] == [
        *((0, 60), (60, 10), (70, 0), (70, 10), (80, 0)),
    ]


def test_what_a_table_leaves_out_is_said() -> None:
    bars = (Bar("gmail.com", (70, 10, 0, 0, 0)), Bar("gmx.de", (0, 0, 3, 12, 0)))
    said = word_rest(DOMAIN, Facet(bars, whole=120, valued=110, distinct=9))
    assert said == "7 more are not shown. Without a domain: 10 rows (8.3 %)."
    assert word_rest(DOMAIN_TYPE, Facet(bars, whole=95, valued=95, distinct=2)) == ""


def test_names_of_dimensions_tell_them_apart() -> None:
    assert len({dimension.name for dimension in DIMENSIONS}) == len(DIMENSIONS)
    assert {"black", "page", "task"}.isdisjoint(dimension.name for dimension in DIMENSIONS)


def test_every_reason_and_action_has_words() -> None:
    for reason in Reason:
        assert REASON.label(reason.value)[0].isupper()
    for action in Action:
        assert ACTION.label(action.value) == f"{action.shape} {action.words}"
