"""API: keys, what they used, who is banned, calls to copy."""

from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from components.api_settings import draw_bans, draw_snippets, draw_usage
from components.key_list import confirm_revoke, draw_key_form, draw_keys, draw_new_key
from components.notices import draw_error
from components.sign_in import read_identity
from winnow.core.errors import BadField
from winnow.wiring import services
from winnow.words import say

USAGE_DAYS = 30
desk = services()
account = read_identity().account


def find_base_address() -> str:
    """Return the API's base address as a client on the network would write it."""
    here = urlsplit(st.context.url or "http://127.0.0.1:8501")
    origin = desk.settings.public_url or f"{here.scheme}://{here.netloc}"
    return origin + desk.settings.base_path


st.title(say("API"))
st.markdown(say("Base address: `{address}`", address=find_base_address()))

st.header(say("Keys"))
wanted = draw_key_form()
if wanted is not None:
    try:
        draw_new_key(*desk.keys.create(account, *wanted))
    except BadField as error:
        draw_error(error)
keys = desk.keys.list(account)
revoked = draw_keys(keys)
if revoked is not None:
    confirm_revoke(revoked, partial(desk.keys.revoke, account, revoked.prefix))
if not keys:
    st.caption(say("No key yet. A program that calls the API needs one; these pages do not."))

st.header(say("Usage"))
draw_usage(desk.usage.days(account, USAGE_DAYS))

st.header(say("Bans"))
lifted = draw_bans(
    desk.bans.list(), desk.settings.ban_threshold, counts_loopback=desk.settings.ban_loopback
)
if lifted is not None:
    desk.bans.lift(lifted)
    st.rerun()

st.header(say("Calls to copy"))
draw_snippets(find_base_address())
