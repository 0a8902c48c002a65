"""The app with two empty routes more: what ``benchmarks/api.py`` measures against.

``/empty`` is a route of the server object as Streamlit offers them, behind our middleware and
Streamlit's. ``/bare/empty`` is a Starlette application of its own before all of it: nothing in
this server can answer at less cost.
"""

import os

import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from winnow.api.application import HttpApi
from winnow.api.asgi import RootRouter
from winnow.serving import lifespan
from winnow.wiring import read_environment, services


async def answer_empty(request: Request) -> JSONResponse:
    """Do nothing, as Starlette does it."""
    return JSONResponse({})


empty = Route("/empty", answer_empty, methods=["POST"])
api = HttpApi(read_environment(os.environ), services)
app = st.App(
    "../components/shell.py",
    lifespan=api.guard(lifespan),
    routes=[empty],
    middleware=[
        Middleware(RootRouter, roots={"/bare": Starlette(routes=[empty])}),
        *api.middleware,
    ],
)
