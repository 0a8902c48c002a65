"""The parameters of a page's address: what is usual is not in it."""

from collections.abc import Mapping, MutableMapping

_MOST_PLACES = 100_000


def put_params(values: Mapping[str, str | None], params: MutableMapping[str, str]) -> None:
    """Put values into an address; what is empty leaves it."""
    for key, value in values.items():
        if value:
            params[key] = value
        elif key in params:
            del params[key]


def read_position(text: str | None) -> int | None:
    """Return a place from 0, which an address has from 1; None for anything else."""
    if text is None or not text.isascii() or not text.isdigit():
        return None
    return int(text) - 1 if len(text) < 6 and 0 < int(text) < _MOST_PLACES else None
