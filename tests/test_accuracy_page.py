"""The page about accuracy says what the verdicts of today are."""

import pytest

from backend.knowledge.look_up import Knowledge
from benchmarks.accuracy_page import PAGE, put_figures, word_figures


@pytest.mark.slow
def test_the_figures_are_those_of_todays_data(knowledge: Knowledge) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == put_figures(page, word_figures(knowledge)), (
        "python -m benchmarks.accuracy_page writes the page anew"
    )
