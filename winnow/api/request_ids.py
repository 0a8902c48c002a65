"""Request ids: one per request, on every answer as ``X-Request-Id`` and in the log."""

import os
import re
from typing import TYPE_CHECKING

from winnow.core.faults import log_subject

if TYPE_CHECKING:  # commands import it with the errors
    from starlette.types import Scope

_SANE = re.compile(rb"[A-Za-z0-9][A-Za-z0-9_-]{7,63}")
REQUEST_ID = b"x-request-id"  # the header's name
ID_BYTES = 16


def request_id_of(scope: "Scope") -> str:
    """Return the id that the middleware gave this request."""
    return str(scope.get("winnow.request_id", "none"))


def make_request_id() -> bytes:
    """Return an id that no other request has."""
    return os.urandom(ID_BYTES).hex().encode()


def give_request_id(scope: "Scope") -> None:
    """Give a request the caller's id if it is a plain one, else a new one."""
    raw = next((value for name, value in scope["headers"] if name == REQUEST_ID), b"")
    if not _SANE.fullmatch(raw):
        raw = make_request_id()
    scope["winnow.request_id"] = raw.decode()
    log_subject.set({"request_id": raw.decode()})
