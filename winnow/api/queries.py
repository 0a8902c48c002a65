"""Values of the query string and of form fields, parsed by the contract."""

from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from winnow.core.errors import BadField
from winnow.core.removed import refuse_judge_both
from winnow.core.tasks.keep_rule import Keep, KeepChoice

_TRUE = frozenset({"true", "1", "yes"})
_FALSE = frozenset({"false", "0", "no"})


def read_email(query_string: bytes) -> str:
    """Return the value of ``email``: percent-decoded UTF-8 in which a plus is a plus.

    Raises:
        BadField: The parameter is missing, given twice, or not UTF-8. An empty value is a value.
    """
    values = []
    for pair in query_string.split(b"&"):
        name, _, value = pair.partition(b"=")
        if unquote_to_bytes(name) == b"email":
            values.append(value)
    if not values:
        raise BadField("email", "is missing", hint="Send the address as the query parameter email.")
    if len(values) > 1:
        raise BadField("email", "is given more than once")
    try:
        return unquote_to_bytes(values[0]).decode()
    except UnicodeDecodeError as error:
        raise BadField("email", "is not percent-encoded UTF-8") from error


def parse_deduplicate(text: str | None) -> bool:
    """Read the form field ``deduplicate``; without one, duplicates are removed.

    Raises:
        BadField: Other than true, false, 1, 0, yes or no, in any case.
    """
    word = "true" if text is None else text.strip().lower()
    if word not in _TRUE | _FALSE:
        raise BadField("deduplicate", "must be true or false")
    return word in _TRUE


def refuse_removed(field: str, text: str) -> None:
    """Raise BadField for a form field of a capability that was removed in 0.3."""
    if field == "judge_both":
        refuse_judge_both(text.strip().lower() in _TRUE)


def parse_keep_word(text: str | None) -> Keep:
    """Read the form field ``keep``; without one, or empty, the last row stays.

    Raises:
        BadField: Another word.
    """
    word = (text or "").strip().lower() or Keep.LAST
    if word not in set(Keep):
        raise BadField("keep", "must be last, first, newest or complete")
    return Keep(word)


def parse_keep(fields: Mapping[str, str]) -> KeepChoice:
    """Read the form fields ``keep`` and ``keep_by``.

    Raises:
        BadField: As for ``parse_keep_word``, or one field without the other that goes with it.
    """
    return KeepChoice(
        parse_keep_word(fields.get("keep")), fields.get("keep_by", "").strip() or None
    )
