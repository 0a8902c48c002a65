"""Facts in one canonical text, so that equal facts have equal hashes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any

from winnow.core.verdicts.verdict import Verdict


def to_plain(value: object) -> Any:
    """Return a value as JSON has it: times in UTC as RFC 3339, members by their codes.

    Raises:
        TypeError: There is no plain form of it.
    """
    if isinstance(value, Verdict):
        return value.to_json()
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(name): to_plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(part) for part in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, bool | int):
        return value
    msg = f"no plain form of {type(value).__name__}"
    raise TypeError(msg)


def write_canonical(plain: object) -> str:
    """Return plain values as one line of ASCII, names in order, nothing that ends a script."""
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
