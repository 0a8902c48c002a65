"""Rules page: your lists, the never-mail list, download policies, bounce reports."""

import streamlit as st

from components.frame.frame import draw_tabs
from components.frame.session import read_identity
from components.rules.never_mail import draw_never_mail
from components.rules.own_changes import draw_change
from components.rules.policies import draw_policies
from components.rules.side_files import draw_bounces
from components.rules.your_lists import draw_your_lists
from winnow import wiring
from winnow.words import say

identity = read_identity()
services = wiring.services().act_as(identity)
account = identity.account

st.title(say("Rules"))
draw_tabs(
    {
        "lists": (say("Your lists"), lambda: draw_your_lists(services, account)),
        "never": (say("Never mail"), lambda: draw_never_mail(services, account)),
        "policies": (say("Policies"), lambda: draw_policies(services.policies, account)),
        "bounces": (say("Bounces"), lambda: draw_bounces(services, account)),
    },
    key="rules",
)
draw_change(services.own_lists, account)
