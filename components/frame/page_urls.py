"""URLs of the pages, their query parameters, and the import of their modules.

The session holds the parameters of the open page, the URL shows them. Each message of a browser
has the URL that the browser shows. A slow browser sends a second action before it has applied the
URL of the first one, so the URL of a message is out of date there. It is therefore read only when
a page is opened, and after Back and Forward.
"""

import ast
from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from winnow.core.settings import PAGE_PATHS

_PAGES = Path(__file__).resolve().parents[2] / "pages"

CHECK = _PAGES / "check.py"
CLEAN = _PAGES / "clean.py"
PROJECTS = _PAGES / "projects.py"
PROJECT = _PAGES / "project.py"
COMPARE = _PAGES / "compare.py"
RULES = _PAGES / "rules.py"
SETTINGS = _PAGES / "settings.py"

PLACES = tuple(_PAGES / f"{path}.py" for path in PAGE_PATHS)
SCRIPTS = (Path(__file__).parents[1] / "shell.py", *PLACES)
LATER = ("numpy", "PIL.ImageFile")  # st.logo imports them for every image
PEEKED_AT = ("pandas", "polars", "pyarrow")  # Plotly uses imported ones, also half imported
_LOCK = Lock()
_STATE = "page_params"


def load_pages() -> None:
    """Import what all pages import, once; a page that is drawn sooner waits for it."""
    with _LOCK:
        _load_pages()


def load_charts() -> None:
    """Import the modules of charts, once, before a page that may have one.

    Plotly looks whether the data frames of ``PEEKED_AT`` are imported, also while another thread is
    still importing them, and fails on a half imported one.
    """
    with _LOCK:
        _load_charts()


@cache
def _load_pages() -> None:
    for script in SCRIPTS:
        for node in ast.walk(ast.parse(script.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module:
                import_module(node.module)
    for name in LATER:
        import_module(name)


@cache
def _load_charts() -> None:
    for name in (*PEEKED_AT, "plotly.graph_objects"):
        import_module(name)


class PageParams(MutableMapping[str, str]):
    """Query parameters of this session's page; every change is shown in the URL."""

    def __getitem__(self, key: str) -> str:
        return _read()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_read())

    def __len__(self) -> int:
        return len(_read())

    def __setitem__(self, key: str, value: str) -> None:
        self.replace({**self, key: value})

    def __delitem__(self, key: str) -> None:
        self.replace({name: value for name, value in self.items() if name != key})

    def clear(self) -> None:
        """Delete every parameter."""
        self.replace({})

    def put(self, values: Mapping[str, str | None]) -> None:
        """Set several parameters at once; empty ones are removed."""
        self.replace({**self, **values})

    def replace(self, values: Mapping[str, str | None]) -> None:
        """Set all parameters anew; empty ones are left out."""
        kept = {key: value for key, value in values.items() if value}
        if kept != _read():
            st.session_state[_STATE] = (st.session_state[_STATE][0], kept)
            st.query_params.from_dict(kept)


page_params = PageParams()


def open_params(page: str) -> None:
    """Take the parameters from the URL if another page is opened, or after Back and Forward."""
    context = get_script_run_ctx()
    is_history = context is not None and context.is_history_navigation
    if is_history or st.session_state.get(_STATE, (None,))[0] != page:
        st.session_state[_STATE] = (page, st.query_params.to_dict())


def read_position(text: str | None) -> int | None:
    """Return an index from 0, which a URL has from 1; None for anything else."""
    if text is None or not text.isascii() or not text.isdigit():
        return None
    return int(text) - 1 if len(text) < 6 and int(text) else None


def _read() -> Mapping[str, str]:
    params: Mapping[str, str] = st.session_state[_STATE][1]
    return params
