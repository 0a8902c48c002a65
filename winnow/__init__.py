"""Winnow as a library: verdicts on email addresses, wherever they are.

    >>> import winnow
    >>> winnow.check("ana@mailinator.com").category
    <Category.BLACK: 'black'>

``check``, ``check_column`` and ``duplicate_keys`` are all that is promised; nothing is opened and
nothing heavy imported before one of them is called, and nothing leaves the machine.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winnow.library.checked_address import CheckedAddress

__all__ = ["check", "check_column", "duplicate_keys"]


def check(text: str, *, own_lists: "Mapping[str, str] | None" = None) -> "CheckedAddress":
    """Check one value.

    Args:
        text: One address as it stands, e.g. ``"Ana@Example.COM"``.
        own_lists: Domains, addresses and wildcards (``*.example.com``) that are always kept
            (``"white"``), reviewed (``"grey"``) or removed (``"black"``), whatever else is known.

    Raises:
        BadField: An entry of ``own_lists`` is none.
    """
    from winnow.library.checkers import open_checker

    return open_checker(own_lists).check(text)


def check_column(values: Any, *, own_lists: "Mapping[str, str] | None" = None) -> Any:
    """Check a column of values.

    Args:
        values: A sequence of texts, a pandas or Polars Series, a pyarrow array, or anything with
            the Arrow PyCapsule interface. Null stays null.
        own_lists: As for ``check``.

    Returns:
        The caller's own kind: for a sequence a list with a ``CheckedAddress`` (None for None) for
        each value, for a Series a DataFrame (of pandas with the same index), for Arrow a Table.
        The columns are ``category``, ``domain_type``, ``reasons`` (stable codes, the deciding one
        first, joined by ``"; "``), ``suggestion``, ``is_role`` and ``domain``; in Arrow all but
        ``suggestion`` and ``is_role`` are dictionaries.

    Raises:
        TypeError: ``values`` is no column of texts.
        BadField: As ``check``.
    """
    from winnow.library.checkers import open_checker

    return open_checker(own_lists).check_any(values)


def duplicate_keys(values: Any) -> Any:
    """Return for each value the text that its duplicates share: what keep-last compares.

    NFC, trimmed, in lower case, the domain as an A-label. The key of a value that is no address
    begins with a NUL, so that it is never taken for one; blank and null values have none (null):
    they are no duplicates of one another.

    Args:
        values: As for ``check_column``.

    Returns:
        A list, a Series (of pandas with the same index) or a pyarrow array, as ``values`` is.

    Raises:
        TypeError: ``values`` is no column of texts.
    """
    from winnow.library.checkers import open_checker

    return open_checker().key_any(values)
