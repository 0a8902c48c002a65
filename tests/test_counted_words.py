"""Counted words agree with their count: no "1 rows", no "1 row stay", in any text of the product.

``figures.count_things`` and ``count_doing`` know the one from the many; a count that is written
beside a noun or a verb in any other way must always be more than one.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from winnow.core.figures import count_doing, count_things

PROJECT = Path(__file__).parents[1]
SOURCES = [
    path
    for folder in ("winnow", "components", "pages")
    for path in sorted((PROJECT / folder).rglob("*.py"))
]
COUNT = "\N{REPLACEMENT CHARACTER}"
THINGS = "\N{OBJECT REPLACEMENT CHARACTER}"
MANY = re.compile(
    rf"(?<!line )(?<!row ){COUNT}\*{{0,2}} (?:more |other |single |distinct )?([a-z]+s|entries)\b",
    re.IGNORECASE,
)
VERBS = "are|were|have|stay|go|repeat|hold|differ|stand|do|fit|match|come|get|need|take"
DOING = re.compile(rf"{THINGS}\*{{0,2}} (?:{VERBS})\b")
NO_NOUN = frozenset({"is", "was", "has", "rows_done", "across", "this", "ms", "s"})


def list_texts(tree: ast.AST) -> Iterator[tuple[int, str, list[str]]]:
    """Yield each f-string with signs in the place of counts, and what those counts are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text, counts = "", []
            for part in node.values:
                if isinstance(part, ast.Constant):
                    text += str(part.value)
                elif isinstance(part, ast.FormattedValue):
                    source = ast.unparse(part.value)
                    if source.startswith("count_things("):
                        text += THINGS
                    elif source.startswith(("show_count(", "len(")) or _is_count(part):
                        text += COUNT
                        counts.append(source)
                    else:
                        text += "x"
            yield node.lineno, text, counts


def _is_count(part: ast.FormattedValue) -> bool:
    spec = part.format_spec
    return isinstance(spec, ast.JoinedStr) and ast.unparse(spec) == "f','"


def is_constant(source: str) -> bool:
    """Say whether a count is one of our limits, which are all many."""
    inner = re.sub(r"^show_count\((.*)\)$", r"\1", source)
    return bool(re.fullmatch(r"(?:\w+\.)?_?[A-Z][A-Z0-9_]*(?: [<>]{2} \d+)?", inner))


def test_counted_words_agree_with_their_count() -> None:
    for path in SOURCES:
        for line, text, counts in list_texts(ast.parse(path.read_text(encoding="utf-8"))):
            for match in MANY.finditer(text):
                counted = counts[text[: match.start()].count(COUNT)]
                if match[1] not in NO_NOUN and not is_constant(counted):
                    pytest.fail(f"{path}:{line}: {text!r}: use count_things")
            assert not DOING.search(text), f"{path}:{line}: {text!r}: use count_doing"


@pytest.mark.parametrize(
    ("number", "things", "doing"),
    [
        (0, "0 rows", "0 entries stay"),
        (1, "1 row", "1 entry stays"),
        (2, "2 rows", "2 entries stay"),
        (1_000, "1,000 rows", "1,000 entries stay"),
    ],
)
def test_one_is_one_and_all_else_is_many(number: int, things: str, doing: str) -> None:
    assert count_things(number, "row") == things
    assert count_doing(number, "entry", "stays", "stay", many="entries") == doing
