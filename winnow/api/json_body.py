"""JSON bodies of requests: read within a limit, and strictly (RFC 8259)."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeGuard

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from winnow.api.upload_stream import read_content_length, receive_chunks
from winnow.core.errors import BadField, BodyTooLarge, MalformedRequest, ServerBusy
from winnow.core.figures import count_things

JSON_TYPE = "application/json"
NAME_SHOWN_MAX_CHARACTERS = 40
VALUES_AN_ITEM = 8  # columns of a row on average; commas and brackets inside texts count too
BYTES_A_VALUE = 12  # of a large body: a decoded value takes about 60 bytes
NAMES_MAX = 1_000  # of one object: each costs the event loop as much as a field of a form
SMALL_BYTES = 1 << 14
LARGE_BYTES = 1 << 20
LARGE_AT_ONCE = 2


def is_json(request: Request) -> bool:
    """Return whether a request says that its body is JSON."""
    media_type = request.headers.get("content-type", "").partition(";")[0]
    return media_type.strip().lower() == JSON_TYPE


@dataclass(eq=False, repr=False)
class JsonBodies:
    """JSON bodies of a server's requests. Few large ones are held at once; for the event loop."""

    _large_count: int = 0

    @asynccontextmanager
    async def open(
        self, request: Request, most_bytes: int, most_items: int
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the JSON object in a request's body, held until the exit. Numbers are bytes.

        ``most_items`` is what one of its lists may have: it bounds the memory of decoding.

        Raises:
            MalformedRequest: Not said to be JSON in UTF-8, or not a JSON object.
            BadField: An object has a name twice.
            BodyTooLarge: More than ``most_bytes``, or far more values than are accepted.
            ServerBusy: It is large, and as many large ones as are accepted are being worked on.
        """
        _require_json(request)
        body, is_large = bytearray(), False
        try:
            size_bytes = read_content_length(request) or 0
            _require_size(size_bytes, most_bytes)
            is_large = self._hold(size_bytes)
            async for chunk in receive_chunks(request):
                body += chunk
                _require_size(len(body), most_bytes)
                is_large = is_large or self._hold(len(body))
            _require_few_values(body, most_items)
            if len(body) < SMALL_BYTES:  # decoded in less time than a thread takes
                yield _decode(body)
            else:
                yield await run_in_threadpool(_decode, body)
        finally:
            body.clear()  # at once, also where an error still refers to it
            self._large_count -= is_large

    def _hold(self, size_bytes: int) -> bool:
        """Return whether a body is large; it is one of those held then."""
        if size_bytes <= LARGE_BYTES:
            return False
        if self._large_count == LARGE_AT_ONCE:
            raise ServerBusy("The server is reading other large requests. Try again in a moment.")
        self._large_count += 1
        return True


def require_items(field: str, value: object, most: int, *, least: int = 1) -> Sequence[Any]:
    """Return a field's list of items.

    Raises:
        BadField: Missing, not a list, or fewer than ``least``.
        BodyTooLarge: More than ``most``.
    """
    if not isinstance(value, list) or len(value) < least:
        raise BadField(field, f"must be a list with {least} to {count_things(most, 'item')}")
    if len(value) > most:
        problem = f"has {count_things(len(value), 'item')}; {most:,} is the most"
        raise BodyTooLarge(field, problem, used=len(value), limit=most)
    return value


def is_text(value: object) -> TypeGuard[str]:
    """Return whether a decoded value was a string in JSON, and has no half of a surrogate pair."""
    return isinstance(value, str) and (value.isascii() or mend_text(value) == value)


def mend_text(text: str) -> str:
    """Return a text with U+FFFD for surrogates without their other half."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _require_json(request: Request) -> None:
    if not is_json(request):
        raise MalformedRequest(f"The body must be {JSON_TYPE}: see the header Content-Type.")
    parameters = request.headers["content-type"].lower().replace('"', "").split(";")[1:]
    charsets = [text.strip() for text in parameters if text.strip().startswith("charset=")]
    if any(charset not in {"charset=utf-8", "charset=utf8"} for charset in charsets):
        raise MalformedRequest("The body must be in UTF-8: see the header Content-Type.")


def _require_size(size_bytes: int, most_bytes: int) -> None:
    if size_bytes > most_bytes:
        problem = f"has more than {count_things(most_bytes, 'byte')}"
        raise BodyTooLarge("body", problem, used=size_bytes, limit=most_bytes)


def _require_few_values(body: bytearray, most_items: int) -> None:
    """Count what separates values before they are decoded."""
    rows = min(body.count(b"{"), most_items)
    count = sum(map(body.count, (b",", b"[", b"{"))) - rows
    most = min(VALUES_AN_ITEM * most_items, max(2 * LARGE_BYTES, len(body)) // BYTES_A_VALUE)
    if count > most:
        problem = f"has more than {count_things(most, 'comma or bracket', 'commas and brackets')}"
        raise BodyTooLarge("body", problem, used=count, limit=most)


def _decode(body: bytearray) -> dict[str, Any]:
    """Decode a body, which is emptied."""
    # msgspec's decoder takes the last of equal names without a word, and no lone surrogates.
    try:
        text = body.decode("utf-8-sig")
        body.clear()
        decoded = json.loads(
            text,
            object_pairs_hook=_build_object,
            parse_int=str.encode,
            parse_float=str.encode,
            parse_constant=_refuse_constant,
        )
    except UnicodeDecodeError as error:
        raise MalformedRequest(f"The body is not UTF-8 at byte {error.start + 1}.") from error
    except json.JSONDecodeError as error:
        raise MalformedRequest(f"The body is not JSON at character {error.pos + 1}.") from error
    except RecursionError as error:
        raise MalformedRequest("The body is nested too deeply.") from error
    if not isinstance(decoded, dict):
        raise MalformedRequest("The body must be a JSON object.")
    return decoded


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > NAMES_MAX:
        problem = f"has an object with more than {count_things(NAMES_MAX, 'name')}"
        raise BodyTooLarge("body", problem, used=len(pairs), limit=NAMES_MAX)
    built: dict[str, Any] = {}
    for name, value in pairs:
        if name in built:
            is_plain = name.isidentifier() and len(name) <= NAME_SHOWN_MAX_CHARACTERS
            raise BadField(name if is_plain else "body", "is given more than once in one object")
        built[name] = value
    return built


def _refuse_constant(name: str) -> None:
    raise MalformedRequest(f"The body has {name}, which is not JSON.")
