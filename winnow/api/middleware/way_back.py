"""Redirect after sign-in: the requested page is kept in the form's address."""

import re
from urllib.parse import urlencode

from starlette.requests import HTTPConnection
from starlette.types import Scope

PARAMETER = "to"
FIRST_PAGE = "/"
_OWN_PAGE = re.compile(r"/(?![/\\])[!-\[\]-~]*")  # ASCII without a backslash; never //another.host


def lead_to_form(form_path: str, scope: Scope) -> str:
    """Return the form's address with the requested page."""
    query = scope["query_string"].decode("latin-1")
    asked = scope["path"] + (f"?{query}" if query else "")
    if asked == FIRST_PAGE or find_way_back(asked) != asked:
        return form_path
    return f"{form_path}?{urlencode({PARAMETER: asked})}"


def read_way_back(connection: HTTPConnection) -> str:
    """Return the page to open after sign-in: always one of our own pages."""
    return find_way_back(connection.query_params.get(PARAMETER, FIRST_PAGE))


def find_way_back(text: str) -> str:
    """Return an address if it is one of our own pages, else that of the first page."""
    return text if _OWN_PAGE.fullmatch(text) and not text.startswith("/desk/") else FIRST_PAGE
