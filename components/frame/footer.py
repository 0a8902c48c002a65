"""Foot line of every page: network, age of the domain data, version."""

from datetime import date

import streamlit as st

from components.kit.html import render_facts
from winnow.core.figures import show_date
from winnow.core.release import VERSION
from winnow.words import say, say_many


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
    """Return in words how old the lists of domains are; their version where it has no date."""
    try:
        dated = date.fromisoformat(data_version[:10])
    except ValueError:
        return say("Domain lists: {version}", version=data_version)
    age = say_many(max((today - dated).days, 0), "{count} day old", "{count} days old")
    return say("Domain lists of {day}, {age}", day=show_date(dated), age=age)
