"""All policies side by side on one list: what each keeps and loses, by columns and in money."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import streamlit as st

from components.html import render_share_bar
from components.markdown import escape_markdown
from components.notices import draw_error
from components.policy_picker import say_policy
from winnow.core.errors import BadField
from winnow.core.figures import show_share
from winnow.core.lists.amounts import AmountTotals, find_money_column
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.named_policy import NamedPolicy, PolicyDifference, PolicyEffect
from winnow.core.lists.own_columns import ColumnSplit, OwnColumn, OwnColumns, show_own_text
from winnow.core.verdicts.grounds import Ground
from winnow.core.verdicts.verdict import Category
from winnow.core.verdicts.words import SHAPES, name_ground
from winnow.words import format_decimal, format_number, say, say_many

_THOUSAND, _MILLION = 1_000, 1_000_000


@dataclass(frozen=True, slots=True)
class PolicyQuestions:
    """What a comparison asks of a project; a place is a column's."""

    measure: Callable[[Sequence[CleaningPolicy]], Sequence[PolicyEffect]]
    differ: Callable[[CleaningPolicy, CleaningPolicy], PolicyDifference]
    list_columns: Callable[[], OwnColumns]
    split: Callable[[int, Sequence[CleaningPolicy]], ColumnSplit | None]
    add_up: Callable[[int, Sequence[CleaningPolicy]], AmountTotals | None]


def draw_policy_comparison(
    policies: Sequence[NamedPolicy], ask: PolicyQuestions, make_default: Callable[[str], None]
) -> None:
    """Draw what each policy keeps and loses of one list.

    Args:
        policies: The account's.
        ask: What is asked of the list.
        make_default: Lets a policy hold where nothing is chosen, by its id; may raise BadField.
    """
    rules = [one.choice.policy for one in policies]
    effects = ask.measure(rules)
    columns = ask.list_columns()
    _draw_bars(policies, effects)
    amounts = _pick_amounts(columns.amounts)
    totals = None if amounts is None else ask.add_up(amounts.place, rules)
    _draw_table(policies, effects, totals)
    if totals is not None:
        _draw_reading(totals)
    _draw_difference(policies, ask, totals, make_default)
    column = _pick_column(columns.by_value)
    split = None if column is None else ask.split(column.place, rules)
    if split is not None:
        _draw_split(policies, split)


def _draw_bars(policies: Sequence[NamedPolicy], effects: Sequence[PolicyEffect]) -> None:
    for policy, effect in zip(policies, effects, strict=True):
        counts = _count(effect)
        kept = say_many(effect.kept, "{count} row is kept", "{count} rows are kept")
        share = show_share(effect.kept, effect.rows)
        label = f"{say_policy(policy)}: {kept} ({share})"
        st.html(
            f'<p class="w-effect"><strong>{escape(_name(policy))}</strong>: '
            f"{escape(kept)} ({share})</p>{render_share_bar(counts, label=label, slim=True)}"
        )
    st.html(_render_key())


def _count(effect: PolicyEffect) -> Sequence[tuple[Category, int]]:
    return (
        (Category.WHITE, effect.kept - effect.review),
        (Category.GREY, effect.review),
        (Category.BLACK, effect.lost_rows),
    )


def _render_key() -> str:
    words = say(
        "{keep} kept, {review} kept but worth a review, {remove} left out",
        keep=SHAPES[Category.WHITE],
        review=SHAPES[Category.GREY],
        remove=SHAPES[Category.BLACK],
    )
    return f'<p class="w-quiet">{escape(words)}</p>'


def _name(policy: NamedPolicy) -> str:
    name = say_policy(policy)
    return say("{name} (default)", name=name) if policy.is_default else name


def _draw_table(
    policies: Sequence[NamedPolicy], effects: Sequence[PolicyEffect], totals: AmountTotals | None
) -> None:
    """Draw the figures: kept, to review, left out, and by which ground."""
    import pandas as pd

    grounds = [one for one in Ground if any(one in effect.lost for effect in effects)]
    data: dict[str, Sequence[Any]] = {
        say("Policy"): [say_policy(policy) for policy in policies],
        say("Kept"): [effect.kept for effect in effects],
        say("of these to review"): [effect.review for effect in effects],
        say("Left out"): [effect.lost_rows for effect in effects],
    }
    config: dict[str, Any] = {}
    if totals is not None:
        heading = say("{column} kept", column=totals.column)
        digits = 0 if abs(totals.total) >= _THOUSAND else 2
        data[heading] = [round(kept, digits) for kept in totals.kept]
        config[heading] = st.column_config.NumberColumn(format="localized")
        if totals.total > 0:
            heading = say("Share of {column}", column=totals.column)
            data[heading] = [100 * kept / totals.total for kept in totals.kept]
            config[heading] = st.column_config.NumberColumn(format="%.1f %%")
    for ground in grounds:
        heading = say("Left out: {ground}", ground=name_ground(ground))
        data[heading] = [effect.lost.get(ground, 0) for effect in effects]
    number = st.column_config.NumberColumn(format="localized")
    counted = [name for name, values in data.items() if isinstance(values[0], int)]
    st.dataframe(
        pd.DataFrame(data),
        hide_index=True,
        height="content",
        alt=say("What each policy keeps and leaves out"),
        column_config={**dict.fromkeys(counted, number), **config},
    )


def _pick_amounts(offered: Sequence[OwnColumn]) -> OwnColumn | None:
    """Ask which column holds amounts; the first that speaks of money is proposed."""
    if not offered:
        return None
    by_place = {one.place: one for one in offered}
    money = find_money_column([one.name for one in offered])
    proposed = next((one.place for one in offered if one.name == money), None)
    place = st.selectbox(
        say("Weigh rows by an amount"),
        list(by_place),
        index=None if proposed is None else list(by_place).index(proposed),
        format_func=lambda one: by_place[one].name,
        key="compare_amounts",
        placeholder=say("Choose a column, such as revenue"),
        width=320,
    )
    return None if place is None else by_place[place]


def _draw_reading(totals: AmountTotals) -> None:
    """Say how the amounts were read, and how many could not be."""
    example = "1.234,50" if totals.has_decimal_comma else "1,234.50"
    text = say(
        "All of {column}: {total}. Amounts are read like {example}.",
        column=escape_markdown(totals.column),
        total=_show_amount(totals.total),
        example=escape_markdown(example),
    )
    if totals.unread:
        text += " " + say_many(
            totals.unread,
            "{count} cell is no number and counts as nothing.",
            "{count} cells are no numbers and count as nothing.",
        )
    st.caption(text)


def _draw_difference(
    policies: Sequence[NamedPolicy],
    ask: PolicyQuestions,
    totals: AmountTotals | None,
    make_default: Callable[[str], None],
) -> None:
    """Draw two choices, what the second costs against the first, and a button that takes it."""
    if len(policies) < 2:
        return
    ids = [one.policy_id for one in policies]
    by_id = dict(zip(ids, policies, strict=True))
    default = next(one.policy_id for one in policies if one.is_default)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = _pick_policy(say("Instead of"), by_id, default, "compare_first")
        other = next(one for one in ids if one != default)
        second = _pick_policy(say("Take"), by_id, other, "compare_second")
    difference = ask.differ(first.choice.policy, second.choice.policy)
    places = (ids.index(first.policy_id), ids.index(second.policy_id))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(word_difference(first, second, difference, totals, places), width="content")
        if second.is_default:
            return
        name = escape_markdown(say_policy(second))
        if st.button(say("Make “{name}” the default", name=name), key="compare_make_default"):
            try:
                make_default(second.policy_id)
            except BadField as error:
                draw_error(error)
            else:
                st.rerun()


def _pick_policy(label: str, by_id: dict[str, NamedPolicy], proposed: str, key: str) -> NamedPolicy:
    if st.session_state.get(key) not in by_id:
        st.session_state[key] = proposed
    picked = st.selectbox(
        label, list(by_id), format_func=lambda one: say_policy(by_id[one]), key=key, width=320
    )
    return by_id[picked or proposed]


def word_difference(
    first: NamedPolicy,
    second: NamedPolicy,
    difference: PolicyDifference,
    totals: AmountTotals | None,
    places: tuple[int, int],
) -> str:
    """Return what a change from one policy to another costs and wins, in Markdown.

    ``places`` are the policies' among those that the totals were asked for.
    """
    fields = {
        "first": escape_markdown(say_policy(first)),
        "second": escape_markdown(say_policy(second)),
        "lost": say_many(difference.only_first, "{count} row", "{count} rows"),
        "won": say_many(difference.only_second, "{count} row", "{count} rows"),
    }
    if not difference.only_first and not difference.only_second:
        return say("“{second}” keeps the same rows as “{first}”.", **fields)
    if totals is None or totals.total <= 0:
        if not difference.only_second:
            return say("“{second}” costs **{lost}**.", **fields)
        if not difference.only_first:
            return say("“{second}” keeps **{won}** more.", **fields)
        return say("“{second}” costs **{lost}** and keeps **{won}** in their place.", **fields)
    change = totals.kept[places[1]] - totals.kept[places[0]]
    fields["column"] = escape_markdown(totals.column)
    fields["share"] = _show_part(abs(change), totals.total)
    if not difference.only_second:
        return say("“{second}” costs **{lost}** and **{share} of {column}**.", **fields)
    if not difference.only_first:
        return say("“{second}” keeps **{won}** and **{share} of {column}** more.", **fields)
    if change < 0:
        return say(
            "“{second}” costs **{lost}** and keeps **{won}** in their place: "
            "**{share} of {column}** less.",
            **fields,
        )
    return say(
        "“{second}” costs **{lost}** and keeps **{won}** in their place: "
        "**{share} of {column}** more.",
        **fields,
    )


def _pick_column(offered: Sequence[OwnColumn]) -> OwnColumn | None:
    if not offered:
        st.caption(say("The list has no column with few enough values to compare by."))
        return None
    by_place = {one.place: one for one in offered}
    place = st.selectbox(
        say("By a column of the list"),
        list(by_place),
        index=None,
        format_func=lambda one: by_place[one].name,
        key="compare_column",
        placeholder=say("Choose one, such as country or source"),
        width=320,
    )
    return None if place is None else by_place[place]


def _draw_split(policies: Sequence[NamedPolicy], split: ColumnSplit) -> None:
    """Draw how much of each value's rows every policy keeps."""
    import pandas as pd

    shares = list(split.shares)
    texts = [show_own_text(share.text) for share in shares]
    if split.rest.rows:
        shares.append(split.rest)
        texts.append(say("all others"))
    data: dict[str, Sequence[Any]] = {"value": texts, "rows": [share.rows for share in shares]}
    config: dict[str, Any] = {  # the list's column may be called as any of ours is
        "value": st.column_config.TextColumn(split.column.name),
        "rows": st.column_config.NumberColumn(say("Rows"), format="localized"),
    }
    for place, policy in enumerate(policies):
        data[policy.policy_id] = [100 * share.kept[place] / share.rows for share in shares]
        heading = say("{policy} keeps", policy=say_policy(policy))
        config[policy.policy_id] = st.column_config.ProgressColumn(
            heading, format="%.1f %%", min_value=0, max_value=100
        )
    st.dataframe(
        pd.DataFrame(data),
        hide_index=True,
        height="content",
        alt=say("The share of rows that each policy keeps, by {column}", column=split.column.name),
        column_config=config,
    )


def _show_amount(amount: float) -> str:
    """Return a sum, with cents unless it is in millions."""
    if abs(amount) >= _MILLION or amount == round(amount):
        return format_number(round(amount))
    return format_decimal(amount, 2)


def _show_part(part: float, whole: float) -> str:
    """Return a share of money in percent."""
    return show_share(round(part * 100), round(whole * 100))
