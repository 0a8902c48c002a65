"""What the code says to people, found in its syntax: also inside f-strings, which Babel skips."""

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import IO, Any

SAYING = {"say": (0,), "mark": (0,), "say_many": (1, 2), "Sentence": (0,)}
"""By function: which of its arguments are texts."""

Said = tuple[int, str, str | tuple[str, ...], list[str]]


def extract(
    file: IO[bytes], keywords: Mapping[str, Any], tags: Collection[str], options: Mapping[str, Any]
) -> Iterator[Said]:
    """Yield line, function, text or both forms, and comments, as Babel's extractors do."""
    for node in ast.walk(ast.parse(file.read())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            texts = tuple(_read_text(node, place) for place in SAYING.get(name, ()))
            said = tuple(text for text in texts if text is not None)
            if said and len(said) == len(texts):
                yield node.lineno, name, _as_babel_has_it(name, said), []


def _read_text(call: ast.Call, place: int) -> str | None:
    argument = call.args[place] if len(call.args) > place else None
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return argument.value
    return None


def _as_babel_has_it(name: str, said: tuple[str, ...]) -> str | tuple[str, ...]:
    """Put a place before the forms of ``say_many``, whose keyword counts the number as well."""
    return ("", *said) if name == "say_many" else said[0]
