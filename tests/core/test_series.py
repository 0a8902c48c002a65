"""Series: which names are alike, what is proposed, what is stored."""

from dataclasses import replace

import pytest

from tests.core.test_project_table import make
from winnow.core.tasks.series import (
    NO_SERIES,
    find_candidates,
    find_stem,
    list_series,
    name_series,
)
from winnow.core.tasks.task import KeyType


@pytest.mark.parametrize(
    "name",
    [
        "Newsletter",
        "newsletter 2026-05",
        "Newsletter_05_2026",
        "NEWSLETTER Mai 26",
        "Newsletter, 3. März 2026 (final)",
        "newsletter-2026-06-01 v2",
        "Newsletter KW 23",
        "Newsletter Q3 copy (1)",
        "Newsletter déc. 2026",
        "Newsletter Maerz 2026",
        "Newsletter Jaenner 26",
    ],
)
def test_dates_numbers_and_marks_make_no_other_list(name: str) -> None:
    assert find_stem(name) == "newsletter"


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("2026-05", ""),
        ("", ""),
        ("Marketing 2026", "marketing"),
        ("Maison Juin", "maison"),
        ("Newsletter Austria 2026", "newsletter austria"),
    ],
)
def test_what_is_no_date_stays(name: str, stem: str) -> None:
    assert find_stem(name) == stem


def test_lists_of_one_name_are_a_candidate_in_the_order_of_time() -> None:
    projects = [
        make("News 05", day=2, rows=3),
        make("news 04", day=1, rows=3),
        make("Fair", day=1, rows=3),
        make("News 06", day=3),  # not finished
    ]
    [found] = find_candidates(projects)
    assert [task.project_name for task in found.projects] == ["news 04", "News 05"]
    assert (found.series_id, found.share) == (None, None)


def test_a_new_list_is_proposed_for_the_series_that_is_there() -> None:
    old = [replace(make(f"News {day}", day=day, rows=1), series="s") for day in (1, 2)]
    assert find_candidates(old) == ()
    [found] = find_candidates([*old, make("News 3", day=3, rows=1)])
    assert (found.series_id, len(found.projects)) == ("s", 3)


def test_what_was_refused_is_not_asked_again() -> None:
    refused = [replace(make(f"News {day}", day=day, rows=1), series=NO_SERIES) for day in (1, 2)]
    assert find_candidates(refused) == ()
    assert find_candidates([*refused, make("News 3", day=3, rows=1)]) == ()
    new = [make(f"News {day}", day=day, rows=1) for day in (3, 4)]
    assert len(find_candidates([*refused, *new])[0].projects) == 2


def test_sandbox_lists_and_two_series_are_not_mixed() -> None:
    live = make("News 1", rows=1)
    sandbox = replace(make("News 2", rows=1), key_type=KeyType.SANDBOX)
    assert find_candidates([live, sandbox]) == ()
    two = [replace(make(f"News {name}", rows=1), series=name) for name in "ab"]
    assert find_candidates([*two, make("News c", rows=1)]) == ()


def test_a_stored_series_needs_two_lists_and_has_the_latest_name() -> None:
    projects = [
        replace(make("News 2026-05", day=1, rows=1), series="s"),
        replace(make("Newsletter 2026-06", day=2, rows=1), series="s"),
        replace(make("alone", rows=1), series="t"),
    ]
    [series] = list_series(projects)
    assert (series.series_id, series.name) == ("s", "Newsletter")
    assert name_series([make("2026-05", rows=1)]) == "2026-05"
