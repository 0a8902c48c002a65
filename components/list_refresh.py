"""The ages of the disposable lists, the button that fetches them anew, and the schedule."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

import streamlit as st

from components.error_boundary import guard
from components.local_time import show_local
from winnow.core.figures import show_count, show_date, show_duration
from winnow.core.refresh import (
    NEW_NAMES_FOUND,
    ListAge,
    RefreshOutcome,
    RefreshRound,
    RefreshState,
    Rhythm,
    find_age_days,
    find_reach,
)
from winnow.words import mark, say, say_many

HOW_TRIED = mark("(Measured with older releases of the lists.)")
BUTTON, RHYTHM = "refresh_lists", "refresh_rhythm"
RESULT = "refresh_result"
OFFER, OFFER_TAKEN = "refresh_offer", "refresh_offer_taken"
LOCKED = mark("Switched off by whoever set Winnow up (WINNOW_NETWORK).")
_RHYTHMS = {
    Rhythm.NEVER: mark("never"),
    Rhythm.DAILY: mark("daily"),
    Rhythm.WEEKLY: mark("weekly"),
}
_BY_ITSELF, _BY_BUTTON = mark("Refreshed by itself, {moment}:"), mark("Refreshed, {moment}:")
_REFRESHED, _INSTALLED = mark("{name}: refreshed copy, {day}"), mark("{name}: as installed, {day}")
_REFUSED = mark("{name}: refused, the last good copy stays ({reason})")
_UNREACHABLE = mark("{name}: could not be reached, the last good copy stays ({reason})")
_SWEEP_SECONDS, _DAY_SECONDS = 60, 86_400
MINUS = "\N{MINUS SIGN}"


def draw_list_refresh(
    lists: Sequence[ListAge],
    *,
    today: date,
    is_allowed: bool,
    on_refresh: Callable[[], object],
    rhythm: Rhythm,
    on_rhythm: Callable[[Rhythm], None],
    due_in: timedelta | None,
    last_round: RefreshRound | None,
) -> None:
    """Draw a line for each list, the button, the schedule, and what the last round brought.

    Args:
        lists: The lists that can be refreshed, with their ages.
        today: In UTC.
        is_allowed: False: the setting locks refreshes off.
        on_refresh: Refreshes them all.
        rhythm: The schedule as it stands now; another tab may have changed it.
        on_rhythm: Called with another choice.
        due_in: How long until the schedule's next round; None while it is off.
        last_round: The last one, by button or schedule.
    """
    st.markdown(f"**{say('Lists of disposable services')}**")
    st.caption(f"{describe_reach(lists, today)} {say(HOW_TRIED)}")
    st.markdown("\n".join(f"- {describe_age(age)}" for age in lists))
    if st.button(say("Refresh lists now"), key=BUTTON, disabled=not is_allowed):
        with st.spinner(say("Fetching the lists…")):
            st.session_state[RESULT] = refresh_and_tell(on_refresh)
        st.rerun()  # the foot line above has drawn the former data
    st.session_state[RHYTHM] = rhythm
    st.segmented_control(
        say("Refresh by itself"),
        list(Rhythm),
        key=RHYTHM,
        disabled=not is_allowed,
        on_change=guard(lambda: on_rhythm(st.session_state[RHYTHM] or Rhythm.NEVER)),
        format_func=lambda one: say(_RHYTHMS[one]),
        required=True,
    )
    if due_in is not None:
        st.caption(describe_due(due_in))
    st.caption(_tell_where(lists))
    if not is_allowed:
        st.caption(say(LOCKED))
    if problem := st.session_state.get(RESULT):
        st.error(problem)
    elif last_round is not None:
        how = _BY_ITSELF if last_round.is_scheduled else _BY_BUTTON
        st.markdown(say(how, moment=show_local(last_round.ended_at)))
        st.markdown("\n".join(f"- {describe_outcome(one)}" for one in last_round.outcomes))


def draw_refresh_offer(
    lists: Sequence[ListAge],
    *,
    today: date,
    on_refresh: Callable[[], object],
    on_decline: Callable[[], None],
) -> None:
    """Draw the offer of a first round: one quiet line, and nothing is fetched before the press."""
    with st.container(horizontal=True, vertical_alignment="center", key="first_refresh"):
        st.caption(describe_reach(lists, today), width="content")
        if st.button(say("Refresh lists"), key=OFFER, type="tertiary", help=_tell_where(lists)):
            with st.spinner(say("Fetching the lists…")):
                st.session_state[RESULT] = refresh_and_tell(on_refresh)
            st.session_state[OFFER_TAKEN] = True
            st.rerun()
        st.button(
            say("Not now"), key=f"{OFFER}_declined", type="tertiary", on_click=guard(on_decline)
        )


def tell_first_round(last_round: RefreshRound | None) -> None:
    """Say once what became of the offer that was taken."""
    if not st.session_state.pop(OFFER_TAKEN, False):
        return
    if problem := st.session_state.get(RESULT):
        st.error(problem)
    elif last_round is not None:
        states = [outcome.state for outcome in last_round.outcomes]
        good = sum(state in (RefreshState.CHANGED, RefreshState.UNCHANGED) for state in states)
        done = (
            say("All lists are refreshed.")
            if last_round.is_good
            else say("{good} of {all} lists are refreshed.", good=good, all=len(states))
        )
        where = say("**Network**, at the foot of the page, shows each.")
        st.caption(f"{done} {where}")


def describe_reach(lists: Sequence[ListAge], today: date) -> str:
    """Say how old the lists are, and what that means for names that are new."""
    days = find_age_days(lists, today)
    newer = say(
        "Of 100 disposable services that are new, lists find {count}.", count=NEW_NAMES_FOUND
    )
    if days is None:
        unknown = say("The newest list of disposable services has no date.")
        return f"{unknown} {newer}"
    age, found = find_reach(days)
    old = say_many(
        days,
        "The newest list of disposable services is {count} day old.",
        "The newest list of disposable services is {count} days old.",
    )
    reach = say(
        "Lists that are {days} days old find {found} of 100 services of today.",
        days=age,
        found=found,
    )
    return f"{old} {reach} {newer}"


def _tell_where(lists: Sequence[ListAge]) -> str:
    return say(
        "Fetches these lists from {hosts}. Nothing of yours is sent. A list that looks wrong is "
        "refused, and the last good copy stays.",
        hosts=", ".join(sorted({age.host for age in lists})),
    )


def describe_due(due_in: timedelta) -> str:
    """Say when the next round is: ``"Next refresh in 3 hours."``."""
    seconds = due_in.total_seconds()
    if seconds <= _SWEEP_SECONDS:
        return say("Next refresh within two minutes, while Winnow runs.")
    if seconds > _DAY_SECONDS:
        return say_many(
            round(seconds / _DAY_SECONDS),
            "Next refresh in about {count} day.",
            "Next refresh in about {count} days.",
        )
    return say("Next refresh in {time}.", time=show_duration(seconds))


def refresh_and_tell(on_refresh: Callable[[], object]) -> str:
    """Refresh, and return what went wrong with the round as a whole; empty: nothing."""
    try:
        on_refresh()
    except OSError:
        return say("The data folder cannot be written. Free some space, then try again.")
    return ""


def describe_age(age: ListAge) -> str:
    """Say how old a list is: ``"FakeFilter: not used until refreshed"``."""
    if not age.is_counted:
        return say("{name}: not used until refreshed", name=age.name)
    how = _REFRESHED if age.is_refreshed else _INSTALLED
    day = say("of unknown date") if age.dated_on is None else show_date(age.dated_on)
    return say(how, name=age.name, day=day)


def describe_outcome(outcome: RefreshOutcome) -> str:
    """Say what became of a list: ``"FakeFilter: +412"`` and what left it."""
    if outcome.state is RefreshState.CHANGED:
        return f"{outcome.name}: +{show_count(outcome.added)} {MINUS}{show_count(outcome.removed)}"
    if outcome.state is RefreshState.UNCHANGED:
        return say("{name}: unchanged", name=outcome.name)
    if outcome.state is RefreshState.REFUSED:
        return say(_REFUSED, name=outcome.name, reason=outcome.reason)
    return say(_UNREACHABLE, name=outcome.name, reason=outcome.reason)
