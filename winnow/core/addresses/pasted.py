"""Parsing of pasted text: one address a line, a mail header, cells of a spreadsheet."""

import re
from email.utils import getaddresses

PASTED_MAX_CHARACTERS = 200_000  # 200 addresses at their longest, four times over
_LINE_MAX_CHARACTERS = 20_000  # longer ones are split at their separators and nothing more
_HEADER = re.compile(  # RFC 5322, 3.6.2 and 3.6.3: fields that hold addresses
    r"(?:resent-)?(?:to|cc|bcc|from|sender|reply-to)[ \t]*:", re.IGNORECASE
)
_FOLD = re.compile(r"\r?\n[ \t]+(?=\S)")  # RFC 5322, 2.2.3
_QUOTED = re.compile(r'"(?:[^"\\]|\\.){0,200}"')  # a longer name is none
_NAMED = re.compile(r"[^<>]*<([^<>\s@]+@[^<>\s]+)>\s*\Z")
_SEPARATED = re.compile(r"[,;]")
_COMMA_FOR_DOT = re.compile(r"[^\s,;@]+@[^\s.,;@]+,[^\s,;@]+")  # ana@gmail,com is one address
_BETWEEN_VALUES = ":::"  # Google Contacts writes several values of one kind into a cell in this way


def split_pasted(text: str) -> list[str]:
    """Return the addresses of a pasted text in their order, unchanged, without blank ones.

    The name before an address in angle brackets is left out. A text with one value only comes back
    as it is otherwise, outer white space aside: the check reports what is wrong with it.
    """
    if _HEADER.match(text.lstrip()):
        text = _FOLD.sub(" ", text)
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    found = [value for line in lines for value in _split_line(line)]
    if len(found) < 2:
        found = found if found and len(lines) > 1 else lines[:1]
    named = ((value, _NAMED.match(value)) for value in found)
    return [value if match is None else match[1] for value, match in named]


def _split_line(line: str) -> list[str]:
    header = _HEADER.match(line)
    if header is not None:
        return _split_list(line[header.end() :])
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) > 1:  # of a row, the cells with addresses; else its first
        filled = [cell for cell in cells if cell]
        return [cell for cell in filled if "@" in cell] or filled[:1]
    return _split_list(line)


def _split_list(line: str) -> list[str]:
    """Split at commas, semicolons, or the white space between addresses."""
    bare = _QUOTED.sub("", line)
    if _BETWEEN_VALUES in bare:
        return [value for part in line.split(_BETWEEN_VALUES) for value in _split_list(part)]
    if ";" in bare:  # as Outlook copies them: names may have commas
        if _QUOTED.search(line) is None:
            return [value for part in line.split(";") for value in _split_commas(part)]
        line = line.replace(";", ",")
    return _split_commas(line)


def _split_commas(text: str) -> list[str]:
    text = text.strip()
    if _COMMA_FOR_DOT.fullmatch(text):
        return [text]
    if not _SEPARATED.search(text):
        words = text.split()
        are_addresses = len(words) > 1 and all("@" in word[1:-1] for word in words)
        return words if are_addresses and "<" not in text else [text] * bool(text)
    if "<" in text or '"' in text:
        named = _read_named(text)
        if named:
            return named
    return [part.strip() for part in _SEPARATED.split(text) if part.strip()]


def _read_named(text: str) -> list[str]:
    """Return the addresses of ``Ana <ana@x.de>, "Bo, B." <bo@y.de>``; else an empty list."""
    if len(text) > _LINE_MAX_CHARACTERS:
        return []
    try:
        pairs = getaddresses([text])
    except (ValueError, IndexError, RecursionError):
        return []
    return [address for _, address in pairs if "@" in address]
