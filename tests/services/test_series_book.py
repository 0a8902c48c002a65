"""Series over real lists: who left, returned and is new, counted again by plain sets."""

import random
from itertools import pairwise
from typing import Any

import pytest

from tests.applications import Clock, complete
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import BadField, TaskUnknown
from winnow.core.tasks.series import SHARE_LEAST
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

PEOPLE = [f"person{number}@mailboxes.example" for number in range(200)]


def clean(opened: Application, clock: Clock, name: str, people: list[str], **options: Any) -> str:
    clock.advance(hours=1)
    content = "\r\n".join(["email", *people, ""]).encode()
    return complete(opened, content, project_name=name, **options).task_id


def test_who_left_returned_and_is_new_is_counted_as_plain_sets_count(
    opened: Application, clock: Clock
) -> None:
    draw = random.Random(7)
    lists = [draw.sample(PEOPLE, draw.randint(40, 120)) for _ in range(5)]
    ids = [
        clean(opened, clock, f"News {number}", [*people, people[0].upper(), "broken"])
        for number, people in enumerate(lists)
    ]
    series_id = opened.services.series.group(LOCAL_ACCOUNT, ids)
    points = opened.services.series.follow(LOCAL_ACCOUNT, series_id)
    assert [point.project.task_id for point in points] == ids
    assert (points[0].left, points[0].returned, points[0].new) == (None, None, None)
    seen: set[str] = set(lists[0])
    for (before, now), point in zip(pairwise(lists), points[1:], strict=True):
        was, present = set(before), set(now)
        assert point.left == len(was - present)
        assert point.returned == len((present & seen) - was)
        assert point.new == len(present - seen)
        seen |= present
    for (before, now), point in zip(pairwise(ids), points[1:], strict=True):
        compared = opened.services.comparisons.compare(LOCAL_ACCOUNT, before, now)
        assert point.left == compared.gone
        assert (point.new or 0) + (point.returned or 0) == compared.new


def test_lists_of_one_name_with_common_addresses_are_proposed_once(
    opened: Application, clock: Clock
) -> None:
    book = opened.services.series
    same = [clean(opened, clock, f"News 2026-0{n}", PEOPLE[n * 10 : n * 10 + 100]) for n in (1, 2)]
    clean(opened, clock, "Fair 1", PEOPLE[:50])
    clean(opened, clock, "Fair 2", PEOPLE[50:100])  # of one name, and nobody in common
    [proposal] = book.propose(LOCAL_ACCOUNT)
    assert [task.task_id for task in proposal.projects] == same
    assert proposal.share == pytest.approx(0.9)
    assert proposal.share > SHARE_LEAST
    book.group(LOCAL_ACCOUNT, same)
    assert book.propose(LOCAL_ACCOUNT) == ()
    later = clean(opened, clock, "News 2026-03", PEOPLE[30:130])
    [proposal] = book.propose(LOCAL_ACCOUNT)
    series_id = book.group(LOCAL_ACCOUNT, [task.task_id for task in proposal.projects])
    assert series_id == proposal.series_id
    assert len(book.find(LOCAL_ACCOUNT, series_id).projects) == 3
    book.leave(LOCAL_ACCOUNT, [later])
    assert len(book.find(LOCAL_ACCOUNT, series_id).projects) == 2
    assert book.propose(LOCAL_ACCOUNT) == ()


def test_a_proposal_that_was_refused_does_not_come_again(opened: Application, clock: Clock) -> None:
    ids = [clean(opened, clock, f"News {number}", PEOPLE) for number in range(2)]
    opened.services.series.leave(LOCAL_ACCOUNT, ids)
    assert opened.services.series.propose(LOCAL_ACCOUNT) == ()
    assert opened.services.series.list(LOCAL_ACCOUNT) == ()


def test_grouping_by_hand_joins_series_and_needs_two(opened: Application, clock: Clock) -> None:
    book = opened.services.series
    ids = [clean(opened, clock, name, PEOPLE[:9]) for name in ("one", "two", "three", "four")]
    with pytest.raises(BadField):
        book.group(LOCAL_ACCOUNT, ids[:1])
    first, second = book.group(LOCAL_ACCOUNT, ids[:2]), book.group(LOCAL_ACCOUNT, ids[2:])
    assert first != second
    joined = book.group(LOCAL_ACCOUNT, [ids[0], ids[2]])
    [series] = book.list(LOCAL_ACCOUNT)
    assert (series.series_id, len(series.projects)) == (joined, 4)


def test_a_deleted_list_leaves_its_series_and_comes_back_with_it(
    opened: Application, clock: Clock
) -> None:
    book = opened.services.series
    ids = [clean(opened, clock, f"News {number}", PEOPLE[:9]) for number in range(2)]
    series_id = book.group(LOCAL_ACCOUNT, ids)
    opened.services.deletions.delete(LOCAL_ACCOUNT, ids[:1])
    with pytest.raises(TaskUnknown):
        book.follow(LOCAL_ACCOUNT, series_id)
    opened.services.deletions.undo(LOCAL_ACCOUNT, ids[:1])
    assert len(book.follow(LOCAL_ACCOUNT, series_id)) == 2


def test_the_trend_follows_the_own_lists_of_today(opened: Application, clock: Clock) -> None:
    ids = [clean(opened, clock, f"News {number}", PEOPLE[:9]) for number in range(2)]
    series_id = opened.services.series.group(LOCAL_ACCOUNT, ids)
    opened.services.own_lists.add(LOCAL_ACCOUNT, PEOPLE[0], Category.BLACK, "")
    points = opened.services.series.follow(LOCAL_ACCOUNT, series_id)
    assert all(
        point.project.summary is not None and point.project.summary.by_category["black"] == 1
        for point in points
    )


def test_another_account_sees_no_series(opened: Application, clock: Clock) -> None:
    opened.services.accounts.create("other")
    ids = [clean(opened, clock, f"News {number}", PEOPLE[:9]) for number in range(2)]
    series_id = opened.services.series.group(LOCAL_ACCOUNT, ids)
    with pytest.raises(TaskUnknown):
        opened.services.series.follow("other", series_id)
    opened.services.series.leave("other", ids)
    with pytest.raises(BadField):
        opened.services.series.group("other", ids)
    assert len(opened.services.series.list(LOCAL_ACCOUNT)) == 1
