"""Network settings: switches for look-ups, refresh of the lists of disposable services."""

from collections.abc import Sequence
from datetime import date

import streamlit as st

from components.frame.error_boundary import guard
from components.frame.session import may, set_widget, show_local
from winnow.core.figures import show_count
from winnow.core.network_answers import REFRESH
from winnow.core.refresh import (
    NEW_NAMES_FOUND,
    ListAge,
    RefreshOutcome,
    RefreshState,
    find_age_days,
    find_reach,
)
from winnow.services.network.network import Network
from winnow.services.network.refresh import Refresh
from winnow.services.services import Services
from winnow.words import say, say_many, translatable

LABELS = {
    "dns": translatable("Ask DNS whether domains take mail"),
    "rdap": translatable("Ask how old domains are"),
    "hooks": translatable("Call hooks when lists are done"),
    REFRESH: translatable("Refresh the lists each week"),
}
CAPTIONS = {
    "dns": translatable("Sends domain names, never addresses, to the name server of your network."),
    "rdap": translatable(
        "Sends names of unknown domains, never addresses, to their registries (RDAP); domains "
        "younger than 30 days go to review."
    ),
    "hooks": translatable(
        "Sends counts and a status link, never addresses, to the URLs of API keys."
    ),
}
LOCKED = translatable("Switched off on this server (WINNOW_NETWORK).")
BUTTON, DISMISS = "refresh_lists", "refresh_dismiss"
RESULT = "refresh_result"
_BY_SCHEDULE, _BY_BUTTON = (
    translatable("Refreshed by schedule, {moment}:"),
    translatable("Refreshed, {moment}:"),
)
_NOT_REFRESHED = translatable("Not refreshed, {moment}: no list could be fetched.")
_REFUSED = translatable("{name}: refused ({reason}); nothing changed")
_UNREACHABLE = translatable("{name}: not reached ({reason}); nothing changed")
MINUS = "\N{MINUS SIGN}"


def draw_network(network: Network) -> None:
    """Draw a switch for each look-up, with what it sends; what is on for those who may not."""
    if not may(network.turn):
        st.markdown(f"{network.status_text()}. {say('Admins switch it.')}")
        return
    for name, caption in CAPTIONS.items():
        _draw_switch(network, name, say(caption))


def _draw_switch(network: Network, name: str, caption: str) -> None:
    key, is_allowed = f"network_{name}", network.is_allowed(name)

    @guard
    def turn() -> None:
        network.turn(name, bool(st.session_state[key]))

    set_widget(key, network.is_on(name))  # another tab may have turned it
    st.toggle(say(LABELS[name]), key=key, disabled=not is_allowed, on_change=turn)
    st.caption(caption if is_allowed else say(LOCKED))


def draw_list_refresh(services: Services) -> None:
    """Draw how old the lists are, the button, the switch, and the last round's result."""
    refresh, lists = services.refresh, services.refresh.describe()
    st.header(say("Lists of disposable services"))
    st.caption(describe_reach(lists, services.clock().date()))
    if not may(refresh.refresh_now):
        return
    if st.button(say("Refresh lists now"), key=BUTTON, disabled=not refresh.is_allowed):
        _refresh(refresh)
        st.rerun()  # the age above is the former one
    due_at, caption = refresh.find_due(), _word_hosts(lists)
    if due_at is not None:
        due = say("Next refresh: {when}.", when=show_local(max(due_at, services.clock())))
        caption = f"{due} {caption}"
    _draw_switch(services.network, REFRESH, caption)
    _draw_last_round(refresh)


def draw_refresh_offer(services: Services) -> None:
    """Offer the first refresh, with its effect in figures, until made or dismissed."""
    refresh = services.refresh
    if not may(refresh.refresh_now) or not refresh.is_offered:
        return
    lists = refresh.describe()
    with st.container(border=True):
        st.markdown(describe_reach(lists, services.clock().date()))
        with st.container(horizontal=True):
            is_asked = st.button(say("Refresh lists now"), key=BUTTON, help=_word_hosts(lists))
            st.button(
                say("Dismiss"), key=DISMISS, type="tertiary", on_click=guard(refresh.dismiss_offer)
            )
        if is_asked:
            _refresh(refresh)
            st.rerun()
        _draw_last_round(refresh)


def _draw_last_round(refresh: Refresh) -> None:
    last_round = refresh.last_round
    if problem := st.session_state.get(RESULT):
        st.error(problem)
    elif last_round is not None:
        how = _BY_SCHEDULE if last_round.is_scheduled else _BY_BUTTON
        fetched = {RefreshState.CHANGED, RefreshState.UNCHANGED}
        if not any(one.state in fetched for one in last_round.outcomes):
            how = _NOT_REFRESHED
        st.markdown(say(how, moment=show_local(last_round.ended_at)))
        st.markdown("\n".join(f"- {describe_outcome(one)}" for one in last_round.outcomes))


def describe_reach(lists: Sequence[ListAge], today: date) -> str:
    """Return in words how old the lists are, and how many new services they find."""
    days = find_age_days(lists, today)
    if days is None:
        return say("The newest list of disposable services has no date.")
    _, found = find_reach(days)
    return say_many(
        days,
        "The newest list of disposable services is {count} day old; such lists find {found} of 100 "
        "services of today, but only {new} of 100 new ones.",
        "The newest list of disposable services is {count} days old; such lists find {found} of "
        "100 services of today, but only {new} of 100 new ones.",
        found=found,
        new=NEW_NAMES_FOUND,
    )


def _word_hosts(lists: Sequence[ListAge]) -> str:
    return say(
        "Fetches the lists from {hosts} and sends nothing of yours.",
        hosts=", ".join(sorted({age.host for age in lists})),
    )


def _refresh(refresh: Refresh) -> None:
    """Refresh the lists, and store the error of the whole round; empty: none."""
    problem = ""
    with st.spinner(say("Fetching the lists…")):
        try:
            refresh.refresh_now()
        except OSError:
            problem = say("The data folder cannot be written. Free some space, then try again.")
    st.session_state[RESULT] = problem


def describe_outcome(outcome: RefreshOutcome) -> str:
    """Return in words the changes of a list: ``"FakeFilter: +412"`` and what was removed."""
    if outcome.state is RefreshState.CHANGED:
        return f"{outcome.name}: +{show_count(outcome.added)} {MINUS}{show_count(outcome.removed)}"
    if outcome.state is RefreshState.UNCHANGED:
        return say("{name}: unchanged", name=outcome.name)
    if outcome.state is RefreshState.REFUSED:
        return say(_REFUSED, name=outcome.name, reason=outcome.reason)
    return say(_UNREACHABLE, name=outcome.name, reason=outcome.reason)
