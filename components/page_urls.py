"""Where each page stands, so that any page can lead to any other."""

from collections.abc import Mapping
from pathlib import Path

_PAGES = Path(__file__).resolve().parent.parent / "pages"

CHECK = _PAGES / "check.py"
CLEAN = _PAGES / "clean.py"
PROJECTS = _PAGES / "projects.py"
PROJECT = _PAGES / "project.py"
OWN_LISTS = _PAGES / "own_lists.py"
COMPARE = _PAGES / "compare.py"
SERIES = _PAGES / "series.py"
API = _PAGES / "api.py"
SENDER = _PAGES / "sender.py"
REQUEST = _PAGES / "request.py"

URL_PATHS: Mapping[Path, str] = {
    CHECK: "check",
    CLEAN: "clean",
    PROJECTS: "projects",
    OWN_LISTS: "own-lists",
    API: "api",
    COMPARE: "compare",
    SERIES: "series",
    PROJECT: "project",
    SENDER: "sender",
    REQUEST: "request",
}
