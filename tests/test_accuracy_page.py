"""The page about accuracy says what the verdicts of today are."""

import pytest

from benchmarks import calibration, list_table
from benchmarks.accuracy_page import PAGE, put_figures, word_figures
from benchmarks.decay import find_typical_share, list_by_age, read_decay, word_decay
from winnow.core.refresh import NAMES_FOUND_BY_AGE, NEW_NAMES_FOUND, offer_refresh
from winnow.domain_data.look_up.look_up import Knowledge


def test_every_list_is_named_with_its_licence_and_date() -> None:
    page = list_table.PAGE.read_text(encoding="utf-8")
    assert page == list_table.put_lists(page), "python -m benchmarks.list_table writes it anew"


@pytest.mark.slow
def test_the_figures_are_those_of_todays_data(knowledge: Knowledge) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == put_figures(page, word_figures(knowledge)), (
        "python -m benchmarks.accuracy_page writes the page anew"
    )


@pytest.mark.slow
def test_the_probabilities_are_those_of_todays_data(knowledge: Knowledge) -> None:
    written = calibration.PATH.read_text(encoding="utf-8")
    assert written == calibration.word_table(calibration.count_groups(knowledge)), (
        "python -m benchmarks.calibration writes the table anew"
    )


def test_the_page_shows_the_measured_decay() -> None:
    assert word_decay(read_decay()) in PAGE.read_text(encoding="utf-8")


def test_the_desk_tells_of_new_names_what_the_page_measures() -> None:
    figures = read_decay()
    assert round(find_typical_share(figures)) == NEW_NAMES_FOUND
    by_age = {age: round(share) for age, share in list_by_age(figures)}
    assert by_age == NAMES_FOUND_BY_AGE, "winnow/core/refresh.py says other figures"
    assert f"find {by_age[52]} of 100" in offer_refresh(30)
