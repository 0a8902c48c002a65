"""Moments in the browser's time zone, with UTC where the moment must be exact."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from winnow.core.figures import show_date, show_moment


def find_zone() -> tzinfo:
    """Return the browser's time zone; UTC if it is missing or unknown."""
    name = st.context.timezone
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def show_local_date(moment: datetime) -> str:
    """Return the day in the analyst's time zone: ``"21 Nov 2026"``."""
    return show_date(moment.astimezone(find_zone()))


def show_local(moment: datetime, *, exact: bool = False) -> str:
    """Return a moment in the analyst's time zone: ``"21 Nov 2026, 00:05"``.

    Args:
        moment: Any time zone.
        exact: Add it in UTC: ``"21 Nov 2026, 00:05 (23:05 UTC)"``.
    """
    zone = find_zone()
    if moment.utcoffset() == moment.astimezone(zone).utcoffset():
        return show_moment(moment.astimezone(UTC))
    local = moment.astimezone(zone)
    text = f"{show_date(local)}, {local:%H:%M}"
    return f"{text} ({moment.astimezone(UTC):%H:%M} UTC)" if exact else text
