"""What belongs to an account: its usage, and its own lists."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from winnow.api.operations import (
    Count,
    Operation,
    Parameter,
    about,
    one_of,
)
from winnow.core import errors
from winnow.core.own_lists.entries import ENTRIES_MAX
from winnow.core.own_lists.patterns import PatternKind
from winnow.core.verdicts.verdict import Category
from winnow.services.own.own_lists import NOTE_MAX_CHARACTERS


class ListName(StrEnum):
    """Name of one of the account's own lists, as pages call them."""

    KEEP = "keep"
    REVIEW = "review"
    REMOVE = "remove"

    @property
    def category(self) -> Category:
        """The category that its entries get."""
        return _CATEGORIES[self]


_CATEGORIES = dict(zip(ListName, (Category.WHITE, Category.GREY, Category.BLACK), strict=True))


class MonthUsage(Struct, frozen=True):
    """Charged addresses of one month by one key."""

    month: Annotated[str, about("YYYY-MM, in UTC.")]
    key: Annotated[
        str | None,
        about(
            "The key's prefix. null: no key, as lists of the pages; also all of the time before "
            "keys were counted."
        ),
    ]
    key_name: str | None
    single: Annotated[Count, about("By check-email and check-emails.")]
    batch: Annotated[Count, about("In lists.")]


class UsageReport(Struct, frozen=True):
    """Charged addresses of the account, by month and key."""

    months: Annotated[list[MonthUsage], about("The newest month first.")]


class OwnEntry(Struct, frozen=True):
    """One entry of a list."""

    pattern: Annotated[
        str, about("An address, a domain, *.domain for all below it, or local-part@*.")
    ]
    kind: PatternKind
    note: str
    added_at: datetime


class EntryBody(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry with a note."""

    pattern: str
    note: Annotated[str, Meta(max_length=NOTE_MAX_CHARACTERS)] = ""


class OwnListBody(Struct, frozen=True):
    """All entries of a list."""

    entries: Annotated[
        list[str | EntryBody],
        about(
            "Addresses, domains, *.domain and local-part@*, as texts or as objects with pattern "
            f"and note (at most {NOTE_MAX_CHARACTERS} characters). {ENTRIES_MAX:,} at most, all "
            "lists together."
        ),
    ]


class OwnList(Struct, frozen=True):
    """A list of the account."""

    entries: Annotated[list[OwnEntry], about("The newest first.")]


_LIST = Parameter(
    "list", "path", "keep: white. review: grey. remove: black.", "remove", one_of(ListName)
)
_SANDBOX = " A sandbox key changes no list."
_TAG = "Changes with the list; for If-Match."
_PATTERN = Parameter("pattern", "path", "Percent-encoded.", "*.firm.de")
_IF_MATCH = Parameter(
    "If-Match", "header", "The ETag as read: a list that has changed since is not replaced."
)

_CHANGE_PROBLEMS = (
    errors.MalformedRequest,
    errors.BadField,
    errors.BodyTooLarge,
    errors.QuotaExceeded,
)

USAGE = Operation(
    "usage",
    "GET",
    "/usage",
    "Read what was charged",
    UsageReport,
    "The counts, exact to the moment.",
)
GET_LIST = Operation(
    "readList",
    "GET",
    "/lists/{list}",
    "Read one of your lists",
    OwnList,
    "All of its entries.",
    parameters=(_LIST,),
    problems=(errors.BadField,),
    tag=_TAG,
)
PUT_LIST = Operation(
    "replaceList",
    "PUT",
    "/lists/{list}",
    "Replace one of your lists",
    OwnList,
    "All of its entries now.",
    description="An entry that is on another list moves; the pages can undo the change. If one "
    "entry is not valid, nothing changes." + _SANDBOX,
    parameters=(_LIST, _IF_MATCH),
    json_body=OwnListBody(["firm.example.com", EntryBody("*.firm.de", "ours")]),
    problems=(errors.ListChanged, *_CHANGE_PROBLEMS),
    tag=_TAG,
)
DELETE_LIST = Operation(
    "clearList",
    "DELETE",
    "/lists/{list}",
    "Empty one of your lists",
    OwnList,
    "The empty list.",
    description="The pages can undo the change." + _SANDBOX,
    parameters=(_LIST, _IF_MATCH),
    problems=(errors.ListChanged, errors.BadField),
    tag=_TAG,
)
ADD_ENTRY = Operation(
    "addEntry",
    "POST",
    "/lists/{list}/entries",
    "Put one entry on a list",
    OwnEntry,
    "It is there already; a note that was sent replaces its own.",
    made="It is on the list now, and on no other.",
    description="The pages can undo the change." + _SANDBOX,
    parameters=(_LIST,),
    json_body=EntryBody("*.firm.de", "ours"),
    problems=_CHANGE_PROBLEMS,
)
REMOVE_ENTRY: Operation[OwnEntry] = Operation(
    "removeEntry",
    "DELETE",
    "/lists/{list}/entries/{pattern}",
    "Remove one entry of a list",
    None,
    "It is not on the list, whether it was or not.",
    description="The pages can undo the change." + _SANDBOX,
    parameters=(_LIST, _PATTERN),
    problems=(errors.BadField,),
)
