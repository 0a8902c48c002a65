"""The quiet line at the foot of every page: network, age of the domain data, version."""

from datetime import date

import streamlit as st

from components.html import render_facts
from winnow.core.figures import count_things
from winnow.core.release import VERSION


def draw_foot(network_status: str, data_version: str, today: date) -> None:
    """Draw the line.

    Args:
        network_status: What leaves this machine.
        data_version: The version of the domain data; it begins with the newest list's date.
        today: In UTC.
    """
    facts = [
        network_status.rstrip("."),
        describe_data(data_version, today),
        f"Winnow {VERSION}",
    ]
    st.html(f'<div class="w-foot">{render_facts(facts)}</div>')


def describe_data(data_version: str, today: date) -> str:
    """Return the version of the domain data with its age where the version has a date."""
    try:
        age = (today - date.fromisoformat(data_version[:10])).days
    except ValueError:
        return f"Domain data {data_version}"
    return f"Domain data {data_version}, {count_things(max(age, 0), 'day')} old"
