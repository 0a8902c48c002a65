"""A series of lists: what is proposed, its trend with the table behind it, what came and went."""

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

import streamlit as st

from components import page_urls
from components.charts import CONFIG, Figure, speak
from components.error_boundary import guard
from components.html import BAR_ORDER
from components.local_time import show_local_date
from components.markdown import escape_markdown
from winnow.core.figures import show_count, show_share
from winnow.core.tasks.series import Series, SeriesPoint, SeriesProposal
from winnow.core.tasks.task import Task
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import name_action
from winnow.words import say, say_many

TREND_PX = 320
_LABEL_PX = 120  # room behind the last points for what the lines are
_LABEL_STEP = 7.0  # of the axis: a line of text
_SYMBOLS = {Category.WHITE: "circle", Category.GREY: "diamond", Category.BLACK: "x"}


def draw_series_list(series: Sequence[Series]) -> None:
    """Lead to each stored series."""
    for one in series:
        lists = say_many(len(one.projects), "{count} list", "{count} lists")
        latest = show_local_date(one.projects[-1].submitted_at)
        name = escape_markdown(one.name)
        st.page_link(
            page_urls.SERIES,
            label=say(
                "**{name}**: {lists}, the latest of {day}", name=name, lists=lists, day=latest
            ),
            icon=":material/timeline:",
            query_params={"series": one.series_id},
        )


def draw_proposals(
    proposals: Sequence[SeriesProposal],
    accept: Callable[[Collection[str]], object],
    refuse: Callable[[Collection[str]], object],
) -> None:
    """Ask of each proposal whether its lists belong together."""
    for proposal in proposals:
        ids = [task.task_id for task in proposal.projects]
        with st.container(border=True, gap="small", key=f"proposal_{ids[-1]}"):
            st.markdown(_word_proposal(proposal))
            with st.container(horizontal=True):
                st.button(
                    say("Yes, make them a series"),
                    key=f"series_yes_{ids[-1]}",
                    type="primary",
                    on_click=guard(accept),
                    args=(ids,),
                )
                st.button(
                    say("No"), key=f"series_no_{ids[-1]}", on_click=guard(refuse), args=(ids,)
                )


def _word_proposal(proposal: SeriesProposal) -> str:
    names = ", ".join(f"**{escape_markdown(task.project_name)}**" for task in proposal.projects)
    question = say("The same list at different times? {names}", names=names)
    if proposal.share is None:
        return question
    share = show_share(round(1000 * proposal.share), 1000)
    return (
        question
        + "  \n"
        + say(
            "Each has {share} or more of its addresses in common with the one before.", share=share
        )
    )


def draw_trend(points: Sequence[SeriesPoint]) -> None:
    """Draw the finding, the lines of keep, review and remove, and the table behind them."""
    finding = word_trend(points)
    st.markdown(f"**{finding}**")
    st.plotly_chart(
        build_trend_chart(points), height=TREND_PX, key="trend_chart", config=CONFIG, alt=finding
    )
    table = [
        {
            say("List"): point.project.project_name,
            say("Submitted"): show_local_date(point.project.submitted_at),
            say("Rows"): show_count(_count_rows(point)),
            **{name_action(category): _show_category(point, category) for category in BAR_ORDER},
            say("Left"): _show(point.left),
            say("Returned"): _show(point.returned),
            say("New"): _show(point.new),
        }
        for point in points
    ]
    st.dataframe(
        table, hide_index=True, key="trend_table", alt=say("The lists of this series, one a row")
    )
    st.caption(
        say(
            "Left: addresses of the list before that are missing here. Returned: they were missing "
            "in the list before, but stood in an earlier one. New: in no earlier list."
        )
    )


def word_trend(points: Sequence[SeriesPoint]) -> str:
    """Return what the lines say, in a sentence."""
    first, last = points[0], points[-1]
    was, now = (_show_share(point, Category.BLACK) for point in (first, last))
    values = {
        "was": was,
        "now": now,
        "first": show_local_date(first.project.submitted_at),
        "last": show_local_date(last.project.submitted_at),
    }
    difference = _share(last, Category.BLACK) - _share(first, Category.BLACK)
    if was == now:
        return say("To remove: {now} on {last}, as on {first}.", **values)
    if difference > 0:
        return say("To remove: {now} on {last}, up from {was} on {first}.", **values)
    return say("To remove: {now} on {last}, down from {was} on {first}.", **values)


def build_trend_chart(points: Sequence[SeriesPoint]) -> Figure:
    """Return the shares of keep, review and remove by date, on one axis from nought to all."""
    import plotly.graph_objects as go

    figure = go.Figure()
    dates = [point.project.submitted_at.isoformat() for point in points]
    for category in BAR_ORDER:  # the theme's first three colours are theirs
        shares = [100 * _share(point, category) for point in points]
        told = [_show_category(point, category) for point in points]
        figure.add_scatter(
            x=dates,
            y=shares,
            mode="lines+markers",
            marker={"size": 9, "symbol": _SYMBOLS[category]},
            customdata=told,
            hovertemplate="%{customdata}<extra></extra>",
            cliponaxis=False,
            showlegend=False,
        )
    figure.update_layout(
        margin={"l": 0, "r": _LABEL_PX, "t": 12, "b": 0},
        dragmode=False,
        hovermode="x unified",
        xaxis={"fixedrange": True, "tickangle": 0},
        yaxis={"fixedrange": True, "range": [-3, 103], "ticksuffix": " %"},
    )
    named = {dates[place]: points[place] for place in (0, len(dates) // 2, len(dates) - 1)}
    speak(figure, {day: show_local_date(one.project.submitted_at) for day, one in named.items()})
    for category, place in _place_labels(points[-1]).items():
        figure.add_annotation(
            x=1,
            xref="paper",
            xanchor="left",
            xshift=8,
            y=place,
            showarrow=False,
            text=f"{name_action(category)} {_show_share(points[-1], category)}",
        )
    return figure


def _place_labels(point: SeriesPoint) -> dict[Category, float]:
    """Return how high the lines' labels stand: at their ends, and apart from one another."""
    places: dict[Category, float] = {}
    lowest = -100.0
    for category in sorted(BAR_ORDER, key=lambda one: _share(point, one)):
        lowest = max(100 * _share(point, category), lowest + _LABEL_STEP)
        places[category] = lowest
    over = max(0.0, lowest - 100)
    return {category: place - over for category, place in places.items()}


def draw_neighbours(points: Sequence[SeriesPoint]) -> None:
    """Lead from each list to the comparison with the one before it, the latest first."""
    for before, now in reversed(list(pairwise(points))):
        label = say(
            "**{name}**: {left} left, {returned} returned, {new} new",
            name=escape_markdown(now.project.project_name),
            left=_show(now.left),
            returned=_show(now.returned),
            new=_show(now.new),
        )
        st.page_link(
            page_urls.COMPARE,
            label=label,
            icon=":material/compare_arrows:",
            query_params={"before": before.project.task_id, "now": now.project.task_id},
        )


def draw_series_changes(
    projects: Sequence[Task], leave: Callable[[Collection[str]], object]
) -> None:
    """Offer to take lists out of a series; with fewer than two left there is none."""
    names = {task.task_id: task.project_name for task in projects}

    @guard
    def take_out() -> None:
        leave(st.session_state["series_out"])

    with (
        st.expander(say("Change this series"), icon=":material/edit:", key="series_change"),
        st.form("series_out_form", border=False),
    ):
        st.multiselect(
            say("Lists that do not belong here"),
            list(names),
            format_func=lambda task_id: escape_markdown(names[task_id]),
            key="series_out",
        )
        st.form_submit_button(say("Take out of this series"), on_click=take_out)


def _count_rows(point: SeriesPoint) -> int:
    summary = point.project.summary
    return 0 if summary is None else summary.rows_out


def _count(point: SeriesPoint, category: Category) -> int:
    summary = point.project.summary
    return 0 if summary is None else summary.by_category.get(category.value, 0)


def _share(point: SeriesPoint, category: Category) -> float:
    return _count(point, category) / max(1, _count_rows(point))


def _show_share(point: SeriesPoint, category: Category) -> str:
    return show_share(_count(point, category), _count_rows(point))


def _show_category(point: SeriesPoint, category: Category) -> str:
    return f"{show_count(_count(point, category))} ({_show_share(point, category)})"


def _show(number: int | None) -> str:
    return "" if number is None else show_count(number)
