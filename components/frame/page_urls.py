"""URLs of the pages, and the import of their modules while the browser loads."""

import ast
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock

_PAGES = Path(__file__).resolve().parents[2] / "pages"

CHECK = _PAGES / "check.py"
CLEAN = _PAGES / "clean.py"
PROJECTS = _PAGES / "projects.py"
PROJECT = _PAGES / "project.py"
COMPARE = _PAGES / "compare.py"
RULES = _PAGES / "rules.py"
SETTINGS = _PAGES / "settings.py"

URL_PATHS: Mapping[Path, str] = {
    CHECK: "check",
    CLEAN: "clean",
    PROJECTS: "projects",
    RULES: "rules",
    SETTINGS: "settings",
    COMPARE: "compare",
    PROJECT: "project",
}


SCRIPTS = (Path(__file__).parents[1] / "shell.py", *URL_PATHS)
LATER = ("numpy", "PIL.ImageFile")  # st.logo imports them for every image
PEEKED_AT = ("pandas", "polars", "pyarrow")  # Plotly uses imported ones, also half imported
_LOCK = Lock()


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
