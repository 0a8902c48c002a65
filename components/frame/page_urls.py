"""URLs of the pages, for links between them, and what became of the URLs of 0.1 and 0.2."""

from collections.abc import Mapping
from pathlib import Path

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
