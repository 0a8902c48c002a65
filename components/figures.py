"""Figures as people read them; the same ones stand in files that are handed on."""

from backend.core.figures import (
    count_things,
    round_estimate,
    show_count,
    show_date,
    show_days_left,
    show_duration,
    show_moment,
    show_share,
    show_size,
)

__all__ = [
    "count_things",
    "round_estimate",
    "show_count",
    "show_date",
    "show_days_left",
    "show_duration",
    "show_moment",
    "show_share",
    "show_size",
]
