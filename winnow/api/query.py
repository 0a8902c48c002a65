"""Query parameters of requests, each given once at most."""

from collections.abc import Collection

from starlette.requests import Request

from winnow.core.errors import BadField


def read_parameter(request: Request, name: str) -> str | None:
    """Return a query parameter; None where it is missing.

    Raises:
        BadField: It is given more than once.
    """
    values = request.query_params.getlist(name)
    if len(values) > 1:
        raise BadField(name, "is given more than once")
    return values[0] if values else None


def read_number(request: Request, name: str, default: int, least: int, most: int) -> int:
    """Return a query parameter as a whole number.

    Raises:
        BadField: Not a number from ``least`` to ``most``, or given more than once.
    """
    text = read_parameter(request, name)
    if text is None:
        return default
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else -1
    if not least <= number <= most:
        raise BadField(name, f"must be a whole number from {least} to {most}")
    return number


def read_choice(request: Request, name: str, choices: Collection[str]) -> str | None:
    """Return a query parameter that is one of several words; None where it is missing.

    Raises:
        BadField: Another word, or given more than once.
    """
    text = read_parameter(request, name)
    if text is not None and text not in choices:
        raise BadField(name, f"must be one of {', '.join(choices)}")
    return text
