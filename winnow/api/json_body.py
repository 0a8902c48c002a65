"""JSON bodies of requests: read within a limit, and strictly (RFC 8259)."""

import json
from collections.abc import Sequence
from typing import Any, TypeGuard

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from winnow.api.upload_stream import read_content_length, receive_chunks
from winnow.core.errors import BadField, BodyTooLarge, MalformedRequest
from winnow.core.figures import count_things

JSON_TYPE = "application/json"
NAME_SHOWN_MAX_CHARACTERS = 40
CONTAINERS_AN_ITEM = 4  # one, and brackets inside texts


class Number(str):
    """A number of a JSON document, as it was written there."""

    __slots__ = ()


def is_json(request: Request) -> bool:
    """Return whether a request says that its body is JSON."""
    media_type = request.headers.get("content-type", "").partition(";")[0]
    return media_type.strip().lower() == JSON_TYPE


async def read_json(request: Request, most_bytes: int, most_items: int) -> dict[str, Any]:
    """Return the JSON object in a request's body. Numbers are ``Number``.

    ``most_items`` is what one of its lists may have: the memory of decoding is bounded by it.

    Raises:
        MalformedRequest: Not said to be JSON in UTF-8, or not a JSON object.
        BadField: An object has a name twice.
        BodyTooLarge: More than ``most_bytes``, or far more objects and lists than are accepted.
    """
    if not is_json(request):
        raise MalformedRequest(f"The body must be {JSON_TYPE}: see the header Content-Type.")
    parameters = request.headers["content-type"].lower().replace('"', "").split(";")[1:]
    charsets = [text.strip() for text in parameters if text.strip().startswith("charset=")]
    if any(charset not in {"charset=utf-8", "charset=utf8"} for charset in charsets):
        raise MalformedRequest("The body must be in UTF-8: see the header Content-Type.")
    _require_size(read_content_length(request) or 0, most_bytes)
    body = bytearray()
    async for chunk in receive_chunks(request):
        body += chunk
        _require_size(len(body), most_bytes)
    containers, most = body.count(b"{") + body.count(b"["), CONTAINERS_AN_ITEM * most_items
    if containers > most:
        problem = f"has too many objects and lists ({containers:,}); {most:,} is the most"
        raise BodyTooLarge("body", problem, used=containers, limit=most)
    return await run_in_threadpool(_decode, bytes(body))


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
    if not isinstance(value, str) or isinstance(value, Number):
        return False
    return value.isascii() or mend_text(value) == value


def mend_text(text: str) -> str:
    """Return a text with U+FFFD for surrogates without their other half."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _require_size(size_bytes: int, most_bytes: int) -> None:
    if size_bytes > most_bytes:
        problem = f"has more than {count_things(most_bytes, 'byte')}"
        raise BodyTooLarge("body", problem, used=size_bytes, limit=most_bytes)


def _decode(body: bytes) -> dict[str, Any]:
    # msgspec's decoder takes the last of equal names without a word, and no lone surrogates.
    try:
        decoded = json.loads(
            body.decode("utf-8-sig"),
            object_pairs_hook=_build_object,
            parse_int=Number,
            parse_float=Number,
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
    built: dict[str, Any] = {}
    for name, value in pairs:
        if name in built:
            is_plain = name.isidentifier() and len(name) <= NAME_SHOWN_MAX_CHARACTERS
            raise BadField(name if is_plain else "body", "is given more than once in one object")
        built[name] = value
    return built


def _refuse_constant(name: str) -> None:
    raise MalformedRequest(f"The body has {name}, which is not JSON.")
