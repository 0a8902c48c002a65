"""Where lists and results lie: ``s3://bucket/key``, or a path that all machines share."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from winnow.core.errors import BadField

_S3 = "s3://"
_OTHER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_WILD = re.compile(r"[*?]|\[[^\]]+\]")


@dataclass(frozen=True, slots=True)
class Location:
    """One file, or one folder. ``bucket`` is None on a file system; ``name`` is a key or a path."""

    bucket: str | None
    name: str

    def __str__(self) -> str:
        return self.name if self.bucket is None else f"{_S3}{self.bucket}/{self.name}"

    @property
    def file_name(self) -> str:
        """The last part of the name."""
        return self.name.rpartition("/")[2]

    def join(self, name: str) -> "Location":
        """Return a file in this folder."""
        return Location(
            self.bucket, f"{self.name.rstrip('/')}/{name}".lstrip("/" * bool(self.bucket))
        )

    def beside(self, file_name: str) -> "Location":
        """Return another file in the same folder."""
        return Location(self.bucket, self.name[: -len(self.file_name) or None] + file_name)


def is_in_bucket(text: str) -> bool:
    """Tell whether a text names something in a bucket."""
    return text.lower().startswith(_S3)


def parse_location(text: str, field: str) -> Location:
    """Read what was written on the command line; a path comes out absolute.

    Raises:
        BadField: It is neither ``s3://bucket/key`` nor a path.
    """
    if is_in_bucket(text):
        bucket, _, key = text[len(_S3) :].partition("/")
        if not bucket:
            raise BadField(field, "names no bucket", hint="Write s3://bucket/list.csv.")
        return Location(bucket, key)
    if _OTHER.match(text):
        scheme = text.partition("://")[0]
        hint = "Write s3://bucket/list.csv, or the path of a folder that all workers share."
        raise BadField(field, f"{scheme}:// is not read", hint=hint)
    end = "/" if text.endswith(("/", os.sep)) else ""
    return Location(None, os.path.abspath(text) + end)


def has_wildcard(location: Location) -> bool:
    """Tell whether a name stands for several."""
    return _WILD.search(location.name) is not None


def resolve_links(location: Location) -> Location:
    """Return a file by the path that all links to it share; one in a bucket has but one name."""
    if location.bucket is not None:
        return location
    return Location(None, os.path.realpath(location.name))


def fixed_start(location: Location) -> str:
    """Return the beginning of a name with wildcards that all its matches share."""
    found = _WILD.search(location.name)
    return location.name if found is None else location.name[: found.start()]


def match_names(location: Location, names: Iterable[str]) -> list[str]:
    """Return the names that one with wildcards means, sorted; a star stops at a slash.

    Two stars do not: ``lists/**.csv`` are those of all folders below.
    """
    wanted = re.compile(_translate(location.name), re.DOTALL)
    return sorted(name for name in names if wanted.fullmatch(name))


def _translate(pattern: str) -> str:
    parts, end = [], 0
    for found in re.finditer(r"\*\*|\*|\?|\[[^\]]+\]", pattern):
        parts.append(re.escape(pattern[end : found.start()]))
        mark = found.group()
        meant = {"**": ".*", "*": "[^/]*", "?": "[^/]"}.get(mark)
        parts.append(meant or _translate_set(mark[1:-1]))
        end = found.end()
    return "".join(parts) + re.escape(pattern[end:])


def _translate_set(signs: str) -> str:
    """Write what stands in brackets as a set of signs, as a shell has it: a slash is in none."""
    is_not = signs.startswith("!") and len(signs) > 1
    spans = [
        (first or single, last or single)
        for first, last, single in re.findall(r"(.)-(.)|(.)", signs[is_not:], re.DOTALL)
    ]
    inner = "".join(f"{re.escape(one)}-{re.escape(end)}" for one, end in spans if one <= end)
    if not inner:  # from z to a there is nothing
        return "[^/]" if is_not else "(?!)"
    return f"(?!/)[{'^' * is_not}{inner}]"
