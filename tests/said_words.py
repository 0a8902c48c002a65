"""What the code says to people, found in its syntax: also inside f-strings, which Babel skips."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import IO, Any

from tests.server import PROJECT
from winnow.core import errors

SAYING = {"say": (0,), "translatable": (0,), "say_many": (1, 2), "translatable_many": (1, 2)}
"""By function: which of its arguments are texts."""
_NOT_ON_PAGES = (errors.AddressSyntaxError, errors.SettingsError, errors.StartRefused)
_UNREAD = (
    *("/winnow/api/", "/winnow/cli/", "/winnow/cluster/", "/winnow/library/"),
    *("/winnow/engines/", "/winnow/storage/database/", "/winnow/stores.py"),
)
"""Folders whose errors programs and terminals read, in English."""
_ERRORS = {
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type)
    and issubclass(kind, errors.WinnowError)
    and not issubclass(kind, _NOT_ON_PAGES)
}


@cache
def find_writing() -> frozenset[str]:
    """Return what marks the texts that it is made of: errors, and what makes one of a text.

    The latter is found by what it does, not by a list of names: whoever renames or adds such a
    function loses no text.
    """
    writing = {*_ERRORS, "Notice"}
    making = writing | {"translatable", "translatable_many"}
    for path in filter(_is_read, (PROJECT / "winnow").rglob("*.py")):
        tree = ast.parse(path.read_bytes())
        kinds = [one for one in ast.walk(tree) if isinstance(one, ast.ClassDef)]
        owners = {id(one): kind.name for kind in kinds for one in kind.body}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and _hands_on(node, making):
                is_init = node.name == "__init__"
                writing.add(owners[id(node)] if is_init else node.name)
    return frozenset(writing)


def _hands_on(function: ast.FunctionDef, making: Collection[str]) -> bool:
    """Whether a function makes an error, or a text for ``say``, of an argument of its own."""
    own = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
    return any(
        isinstance(text, ast.Name) and text.id in own
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in making
        for text in (*call.args, *(word.value for word in call.keywords if word.arg == "hint"))
    )


def _is_read(path: object) -> bool:
    return not any(folder in str(path) for folder in _UNREAD)


_PROBLEM_FIELDS = {"detail", "hint"}  # of a failed task, kept as they are
_FIELD = re.compile(r"\{[a-z_:]+\}")
_LETTERS = re.compile(r"[a-z]{2}")
Said = tuple[int, str, str | tuple[str, ...], list[str]]


def extract(
    file: IO[bytes], keywords: Mapping[str, Any], tags: Collection[str], options: Mapping[str, Any]
) -> Iterator[Said]:
    """Yield line, function, text or both forms, and comments, as Babel's extractors do."""
    is_read = _is_read(getattr(file, "name", ""))
    for node in ast.walk(ast.parse(file.read())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            texts = tuple(_read_text(node, place) for place in SAYING.get(name, ()))
            said = tuple(text for text in texts if text is not None)
            if said and len(said) == len(texts):
                yield node.lineno, name, _as_babel_has_it(name, said), []
            if is_read and (name in find_writing() or _is_error_begun(node)):
                for text in _list_written(node):
                    yield node.lineno, "translatable", text, []
        elif is_read and isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in _PROBLEM_FIELDS:
                    text = _read_constant(value)
                    if text is not None and _LETTERS.search(text):
                        yield node.lineno, "translatable", text, []


def _read_text(call: ast.Call, place: int) -> str | None:
    return _read_constant(call.args[place]) if len(call.args) > place else None


def _read_constant(node: ast.expr) -> str | None:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else None


def _is_error_begun(call: ast.Call) -> bool:
    """Whether it is ``super().__init__(detail, hint=...)``."""
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "__init__"
        and any(word.arg == "hint" for word in call.keywords)
    )


def _list_written(call: ast.Call) -> Iterator[str]:
    """Yield the sentences of an error or a notice, those of a choice between two as well."""
    open_nodes = [*call.args, *(word.value for word in call.keywords if word.arg == "hint")]
    for node in open_nodes:
        if isinstance(node, ast.IfExp):
            open_nodes += [node.body, node.orelse]
        text = _read_constant(node)
        if text is not None and " " in text and _LETTERS.search(_FIELD.sub("", text)):
            yield text


def _as_babel_has_it(name: str, said: tuple[str, ...]) -> str | tuple[str, ...]:
    """Put a place before two forms, whose keyword counts the number as well."""
    return ("", *said) if len(SAYING[name]) > 1 else said[0]
