"""Moments by the clock of whoever looks."""

from datetime import UTC, datetime

import pytest
import streamlit as st

from components.frame.session import show_local
from tests.pages.conftest import Desk, read_html

MOMENT = datetime(2026, 11, 20, 23, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "shown", "exact"),
    [
        ("Europe/Berlin", "21 Nov 2026, 00:05", "21 Nov 2026, 00:05 (23:05 UTC)"),
        ("America/New_York", "20 Nov 2026, 18:05", "20 Nov 2026, 18:05 (23:05 UTC)"),
        ("Asia/Kolkata", "21 Nov 2026, 04:35", "21 Nov 2026, 04:35 (23:05 UTC)"),
        ("Etc/UTC", "20 Nov 2026, 23:05 UTC", "20 Nov 2026, 23:05 UTC"),
        ("Nowhere/At_All", "20 Nov 2026, 23:05 UTC", "20 Nov 2026, 23:05 UTC"),
        ("../../etc/passwd", "20 Nov 2026, 23:05 UTC", "20 Nov 2026, 23:05 UTC"),
        (None, "20 Nov 2026, 23:05 UTC", "20 Nov 2026, 23:05 UTC"),
    ],
)
def test_a_moment_is_shown_by_the_browsers_clock(
    monkeypatch: pytest.MonkeyPatch, zone: str | None, shown: str, exact: str
) -> None:
    monkeypatch.setattr(type(st.context), "timezone", zone)
    assert show_local(MOMENT) == shown
    assert show_local(MOMENT, exact=True) == exact


def test_a_project_says_when_it_was_submitted_and_until_when_it_is_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(st.context), "timezone", "Pacific/Auckland")
    shown = read_html(desk.open_project())
    assert "Submitted 21 Nov 2026, 01:00<" in shown
    assert "Kept until 21 Dec 2026, 30 days left" in shown
