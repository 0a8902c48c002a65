"""The app with one empty route more: what ``benchmarks/api.py`` measures against."""

import os

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from backend.api.routes import HttpApi
from backend.bootstrap import read_environment, services
from backend.serving import lifespan


async def answer_empty(request: Request) -> JSONResponse:
    """Do nothing, as Starlette does it."""
    return JSONResponse({})


api = HttpApi(read_environment(os.environ), services)
app = st.App(
    "../components/shell.py",
    lifespan=api.guard(lifespan),
    routes=[Route("/empty", answer_empty, methods=["POST"])],
    middleware=api.middleware,
)
