"""The page about accuracy says what the verdicts of today are."""

import re

import pytest

from benchmarks import calibration
from benchmarks.accuracy_page import PAGE, put_figures, word_figures
from winnow.core.refresh import NEW_NAMES_FOUND
from winnow.domain_data.look_up.look_up import Knowledge


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


def test_the_desk_tells_of_new_names_what_the_page_measures() -> None:
    page = PAGE.read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| disposable-email-domains: only it has them.*$", page, re.MULTILINE)
    black, grey = (float(share) for share in re.findall(r"([\d.]+) %", row))
    assert round(black + grey) == NEW_NAMES_FOUND, "winnow/core/refresh.py says another figure"
