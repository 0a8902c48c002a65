"""Every text that people read is gathered, and said in each language with the same fields."""

import ast
import re
import string
from collections.abc import Iterable, Iterator
from io import BytesIO

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from components.kit.upload import list_words
from tests.said_words import extract
from tests.server import PROJECT
from winnow.services.tasks.tasks import CANCELLED
from winnow.storage.repositories.leases import WORKER_LOST
from winnow.words import ENGLISH, LANGUAGES, read_catalogue, speaking

LOCALE = PROJECT / "winnow" / "locale"
FOLDERS = ("winnow", "components", "pages")
HOW_TO_MEND = "run `make words`, then translate what is new"


def read(name: str) -> list[Message]:
    """Return the messages of a catalogue."""
    with (LOCALE / name).open("rb") as file:
        return [message for message in read_po(file) if message.id]


def list_forms(message: Message) -> tuple[str, ...]:
    """Return the English text, or both forms of it."""
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def find_said() -> set[str]:
    """Return the first form of all that code and templates say."""
    said = set()
    for folder in FOLDERS:
        for path in (PROJECT / folder).rglob("*.py"):
            with path.open("rb") as file:
                for _, _, text, _ in extract(file, (), (), {}):
                    said.add(text if isinstance(text, str) else text[1])
        words = {"say": None, "say_many": (2, 3)}
        found = extract_from_dir(PROJECT / folder, [("**.html", "jinja2")], keywords=words)
        said |= {text if isinstance(text, str) else text[0] for _, _, text, *_ in found}
    return said


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
def test_a_translation_says_all_of_it_with_the_same_fields(language: str) -> None:
    translated = {list_forms(one): one for one in read(f"{language}.po")}
    gathered, said = {forms[0] for forms in translated}, find_said()
    assert sorted(said - gathered) == [], HOW_TO_MEND
    assert sorted(gathered - said) == [], HOW_TO_MEND
    open_texts = [
        forms
        for forms, message in translated.items()
        if message.fuzzy
        or not all(message.string if isinstance(message.string, tuple) else [message.string])
    ]
    assert open_texts == []
    for forms, message in translated.items():
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        for english, other in zip(forms, texts, strict=True):
            assert list_fields(other) == list_fields(english), english


def list_fields(text: str) -> set[str]:
    """Return the fields of a pattern; a text that is no pattern has none."""
    try:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}
    except ValueError:
        return set()


@pytest.mark.parametrize(
    ("language", "forms", "rule", "expected"),
    [
        ("fr", ["{count} ligne", "{count} lignes"], "nplurals=2; plural=(n > 1);", "001"),
        (
            "pl",
            ["{count} wiersz", "{count} wiersze", "{count} wierszy"],
            "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>20) ? 1 : 2);",
            "201",
        ),
    ],
)
def test_plurals_follow_the_rule_of_the_catalogue(
    language: str, forms: list[str], rule: str, expected: str
) -> None:
    lines = [f'msgid ""\nmsgstr "Plural-Forms: {rule}\\n"\n', 'msgid "{count} row"']
    lines += ['msgid_plural "{count} rows"']
    lines += [f'msgstr[{place}] "{form}"' for place, form in enumerate(forms)]
    find = read_catalogue(BytesIO("\n".join(lines).encode()), language)
    found = [find("{count} row", number) for number in (0, 1, 22)]
    assert found == [forms[int(place)] for place in expected]


def test_catalogues_are_of_languages_that_can_be_chosen() -> None:
    assert {path.stem for path in LOCALE.glob("*.po")} == set(LANGUAGES) - {ENGLISH}


def test_what_a_failed_task_says_is_gathered() -> None:
    said = find_said()
    for problem in (CANCELLED, WORKER_LOST):
        assert {problem[key] for key in ("detail", "hint") if key in problem} <= said


DRAWING = {
    *("title", "header", "subheader", "markdown", "caption", "text", "write", "metric", "toast"),
    *("error", "warning", "info", "success", "button", "link_button", "download_button"),
    *("checkbox", "toggle", "radio", "selectbox", "multiselect", "pills", "segmented_control"),
    *("text_input", "text_area", "number_input", "expander", "popover", "spinner", "page_link"),
}


@pytest.mark.parametrize("folder", ["components", "pages"])
def test_no_text_is_drawn_that_was_not_said(folder: str) -> None:
    drawn = [
        f"{path.name}: {argument.value}"
        for path in sorted((PROJECT / folder).rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in DRAWING
        and ast.unparse(call.func.value) != "LOGGER"
        for argument in (
            *call.args[:1],
            *(one.value for one in call.keywords if one.arg in {"label", "help"}),
        )
        if isinstance(argument, ast.Constant) and re.search("[A-Za-z]{3}", str(argument.value))
    ]
    assert drawn == []


SCRIPT, MARKUP = (
    (PROJECT / "components" / "kit" / f"upload.{ending}").read_text(encoding="utf-8")
    for ending in ("js", "html")
)
"""The drop zone, which says what its page tells it."""


def test_every_word_is_given_and_every_given_word_is_used() -> None:
    used = {
        *re.findall(r'say\(zone, "(\w+)"', SCRIPT),
        *re.findall(r"\.words\.(\w+)", SCRIPT),
        *re.findall(r'data-(?:word|label)="(\w+)"', MARKUP),
    }
    assert used == set(list_words(1))


def test_the_markup_has_no_text_of_its_own() -> None:
    assert not re.sub(r"<[^>]*>|\s", "", MARKUP)
    assert "aria-label=" not in MARKUP


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_script_fills_each_name_that_a_text_has(language: str) -> None:
    with speaking(language):
        words = list_words(2_400_000_000)
    assert words["limit"].count("{") == 0
    for name, text in words.items():
        for field in re.findall(r"\{(\w+)\}", text):
            call = re.search(rf'say\(zone, "{name}", (.*)\)', SCRIPT)
            assert call is not None, name
            assert field in call[1] or "sizes" in call[1], (name, field)


def list_import_time(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield what is evaluated when a module is imported: no bodies of functions."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            args = node.args
            given = [*args.defaults, *(one for one in args.kw_defaults if one)]
            yield from list_import_time([*getattr(node, "decorator_list", ()), *given])
        else:
            yield node
            yield from list_import_time(ast.iter_child_nodes(node))


def test_no_text_is_said_before_its_reader_is_known() -> None:
    for path in (*PROJECT.glob("winnow/**/*.py"), *PROJECT.glob("components/**/*.py")):
        calls = [
            node.lineno
            for node in list_import_time(ast.parse(path.read_text(encoding="utf-8")).body)
            if isinstance(node, ast.Call)
            and ast.unparse(node.func) in {"say", "say_many", "show_date", "show_count"}
        ]
        assert calls == [], f"{path}: use mark, which is said when it is shown"
