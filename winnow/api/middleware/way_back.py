"""The page that was asked for before sign-in, kept in the form's address and gone back to."""

import re
from urllib.parse import urlencode

from starlette.requests import HTTPConnection
from starlette.types import Scope

PARAMETER = "to"
FIRST_PAGE = "/"
_OWN_PAGE = re.compile(r"/(?![/\\])[!-\[\]-~]*")  # ASCII without a backslash; never //another.host


def lead_to_form(form_path: str, scope: Scope) -> str:
    """Return the form's address with what was asked for."""
    query = scope["query_string"].decode("latin-1")
    asked = scope["path"] + (f"?{query}" if query else "")
    if asked == FIRST_PAGE or find_way_back(asked) != asked:
        return form_path
    return f"{form_path}?{urlencode({PARAMETER: asked})}"


def read_way_back(connection: HTTPConnection) -> str:
    """Return where to go after sign-in: a page of ours, whatever the form's address says."""
    return find_way_back(connection.query_params.get(PARAMETER, FIRST_PAGE))


def find_way_back(text: str) -> str:
    """Return an address where it is one of our own pages, else that of the first page."""
    return text if _OWN_PAGE.fullmatch(text) and not text.startswith("/desk/") else FIRST_PAGE
