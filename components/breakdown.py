"""The two charts of a project, side by side; a click on a bar filters by it."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from backend.core.tasks import Summary
from components.charts import (
    CONFIG,
    MOST_DOMAINS,
    Figure,
    build_domain_chart,
    build_type_chart,
    describe_domains,
    describe_types,
)
from components.figures import count_things, show_share
from components.filters import Filters, toggle


def draw_breakdown(
    summary: Summary, filters: Filters, on_change: Callable[[Filters], None]
) -> None:
    """Draw both charts, each with its table; clicks go to ``on_change``."""

    def choose_type() -> None:
        picked = _read_click("chart_types")
        if picked:
            types = toggle(filters.domain_types, picked)
            on_change(replace(filters, domain_types=types, page=1))

    def choose_domain() -> None:
        picked = _read_click("chart_domains")
        if picked:
            domain = "" if picked == filters.domain else picked
            on_change(replace(filters, domain=domain, page=1))

    left, right = st.columns(2, gap="large")
    with left:
        st.header("Domain types")
        _draw_chart(
            build_type_chart(summary, filters.domain_types),
            key="chart_types",
            alt=describe_types(summary),
            on_select=choose_type,
        )
        _draw_table_behind(
            [(entry[1], entry[0], entry[2]) for entry in summary.by_category_and_type],
            summary.rows_out,
            ("Domain type", "Category"),
        )
    with right:
        st.header("Top domains")
        if not summary.top_domains:
            st.caption("No row has a domain.")
            return
        _draw_chart(
            build_domain_chart(summary, frozenset({filters.domain} - {""})),
            key="chart_domains",
            alt=describe_domains(summary),
            on_select=choose_domain,
        )
        _draw_rest(summary)
        _draw_table_behind(summary.top_domains, summary.rows_out, ("Domain", "Category"))


def _draw_chart(figure: Figure, *, key: str, alt: str, on_select: Callable[[], None]) -> None:
    st.plotly_chart(
        figure,
        height=figure.layout.height,
        key=key,
        alt=alt,
        config=CONFIG,
        on_select=on_select,
        selection_mode="points",
    )


def _read_click(key: str) -> str | None:
    """Return the value of the bar that was clicked, None when a click took a choice back."""
    points = st.session_state[key].selection.points
    return str(points[0]["customdata"][1]) if points else None


def _draw_rest(summary: Summary) -> None:
    shown = sum(count for _, _, count in summary.top_domains[:MOST_DOMAINS])
    rest = summary.rows_out - summary.invalid - shown
    if rest > 0:
        st.caption(
            f"and {count_things(rest, 'row')} ({show_share(rest, summary.rows_out)}) at other "
            "domains"
        )


def _draw_table_behind(
    rows: list[tuple[str, str, int]] | tuple[tuple[str, str, int], ...],
    whole: int,
    heads: tuple[str, str],
) -> None:
    with st.expander("As a table"):
        import pandas as pd

        frame = pd.DataFrame(
            [(name, category, count, count / max(whole, 1)) for name, category, count in rows],
            columns=[*heads, "Rows", "Share"],
        )
        st.dataframe(
            frame,
            hide_index=True,
            alt=f"{heads[0]}s with their category, rows and share",
            column_config={
                "Rows": st.column_config.NumberColumn(format="localized"),
                "Share": st.column_config.NumberColumn(format="percent"),
            },
        )
