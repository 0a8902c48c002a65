"""A decision page's data for programs: the facts, and the seal that is no part of what is sealed.

Both stand in script elements that no browser runs. Line ends do not count, for mail changes them.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

FACTS_ID, SEAL_ID = "winnow-facts", "winnow-seal"
PAGE_MAX_BYTES = 32 << 20
SEAL_NAMES = frozenset({"sealed_by", "facts", "page"})
_SCRIPT = '<script type="application/json" id="{}">'
_FACTS = re.compile(rf"{re.escape(_SCRIPT.format(FACTS_ID))}([^<]*)</script>")
_SEAL = re.compile(rf"{re.escape(_SCRIPT.format(SEAL_ID))}([^<]*)</script>")


@dataclass(frozen=True, slots=True)
class SealedPage:
    """A page taken apart: the text of its facts, its seal's values, the page without the seal."""

    facts: str
    seal: Mapping[str, str]
    page: str


def put_seal(page: str, seal: Mapping[str, str]) -> str:
    """Return a page, as its template leaves it, with its seal."""
    start = _SCRIPT.format(SEAL_ID)
    return page.replace(start, start + json.dumps(dict(seal)), 1)


def read_sealed(data: bytes) -> SealedPage | None:
    """Take a page apart; None where it is no decision page."""
    if len(data) > PAGE_MAX_BYTES:
        return None
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    facts, seals = _FACTS.findall(text), _SEAL.findall(text)
    if len(facts) != 1 or len(seals) != 1:
        return None
    try:
        seal = json.loads(seals[0])
    except (ValueError, RecursionError):
        return None
    if not isinstance(seal, dict) or set(seal) != SEAL_NAMES:
        return None
    if not all(isinstance(value, str) and value.isascii() for value in seal.values()):
        return None
    return SealedPage(facts[0], seal, _SEAL.sub(f"{_SCRIPT.format(SEAL_ID)}</script>", text))
