"""Texts for people in their language: English in the code, others from ``winnow/locale``.

The English text is its own key, as in gettext. ``make words`` collects all of them; a translation
is one file (``de.po``). The language belongs to the context of a run, a request or a task, never
to the process. The default is English.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, Self

ENGLISH = "en"
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "de": "Deutsch"}
"""The languages that pages speak, by their codes, each with its own name."""
_NAMES_SHOWN = 20
_LOCALE = Path(__file__).parent / "locale"
_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


Field = str | int | tuple[str, ...]
"""A text from outside, a number, a sentence, or several of these, which make one list."""


class Sentence(str):
    """A text in English that keeps its translatable pattern and its fields.

    Errors and notices are made before their reader's language is known: programs read the text,
    people read what ``say`` makes of it.
    """

    __slots__ = ("fields", "many", "pattern")
    pattern: str
    many: str | None
    """The form of the pattern for numbers other than 1; the number is the field ``count``."""
    fields: Mapping[str, Field]

    def __new__(cls, pattern: str, many: str | None = None, /, **fields: Field) -> Self:
        """Fill a pattern; without fields its braces stay as they are."""
        made = super().__new__(cls, _fill(pattern, many, fields, ENGLISH))
        made.pattern, made.many, made.fields = str(pattern), many, fields
        return made

    @classmethod
    def join(cls, sentences: Iterable[str]) -> Self:
        """Return sentences with blanks between them as one."""
        fields = {f"sentence{number}": one for number, one in enumerate(sentences)}
        return cls(" ".join(f"{{{name}}}" for name in fields), **fields)

    def say(self) -> str:
        """Return it in the language of the moment."""
        return _fill(self.pattern, self.many, self.fields, _language.get())

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle and copy it with its pattern and fields."""
        return partial(Sentence, self.pattern, self.many, **self.fields), ()


def _fill(pattern: str, many: str | None, fields: Mapping[str, Field], language: str) -> str:
    number = fields.get("count", 1)
    said = _find(pattern, number if isinstance(number, int) else 1, language)
    if said is None:
        said = pattern if many is None or number == 1 else many
    filled = {name: _fill_field(value, language) for name, value in fields.items()}
    return said.format(**filled) if filled else str(said)


def _fill_field(value: Field, language: str) -> str:
    if isinstance(value, Sentence):
        return _fill(value.pattern, value.many, value.fields, language)
    if isinstance(value, int):
        number = _Number(_format_number(value, language))
        number.digits = str(value)
        return number
    if isinstance(value, tuple):
        return ", ".join(_fill_field(one, language) for one in value)
    return value


class _Number(str):
    """A number with thousands separators, in ``{line:d}`` its digits alone."""

    __slots__ = ("digits",)
    digits: str

    def __format__(self, spec: str) -> str:
        return self.digits if spec == "d" else str(self)


def pack_sentences(value: Any) -> Any:
    """Return a value for JSON in which each sentence is its pattern and fields."""
    if isinstance(value, Sentence):
        fields = pack_sentences(value.fields)
        return {"pattern": value.pattern, "many": value.many, "fields": fields}
    if isinstance(value, Mapping):
        return {key: pack_sentences(one) for key, one in value.items()}
    return [pack_sentences(one) for one in value] if isinstance(value, list | tuple) else value


def unpack_sentences(value: Any) -> Any:
    """Return what ``pack_sentences`` was given; lists come back as tuples."""
    if isinstance(value, list):
        return tuple(map(unpack_sentences, value))
    if not isinstance(value, dict):
        return value
    values = {key: unpack_sentences(one) for key, one in value.items()}
    if values.keys() == {"pattern", "many", "fields"}:
        return Sentence(values["pattern"], values["many"], **values["fields"])
    return values


def translatable(text: str, /, **fields: Field) -> Sentence:
    """Return a text in English for ``say`` to translate later, ``{names}`` in it filled."""
    return text if isinstance(text, Sentence) and not fields else Sentence(text, **fields)


def translatable_many(number: int, one: str, many: str, /, **fields: Field) -> Sentence:
    """Return the form for a number for ``say`` to translate later, as ``say_many`` fills it."""
    return Sentence(one, many, count=number, **fields)


def list_some(names: Sequence[str]) -> str:
    """Return the first 20 of some names, and how many more there are; ``""`` for none."""
    shown, more = ", ".join(names[:_NAMES_SHOWN]), len(names) - _NAMES_SHOWN
    return translatable("{names} and {count} more", names=shown, count=more) if more > 0 else shown


def say(text: str, /, **fields: object) -> str:
    """Return a text in the language of the moment, ``{names}`` in it filled.

    Without fields nothing is filled, so that braces in a text that is no pattern may stand. A
    sentence has its own fields.
    """
    if isinstance(text, Sentence) and text.fields:
        return text.say()
    said = _find(text, 1, _language.get()) or str(text)
    return said.format(**_say_fields(fields)) if fields else said


def say_many(number: int, one: str, many: str, /, **fields: object) -> str:
    """Return the form for a number; ``{count}`` is the number with its thousands separators."""
    said = _find(one, number, _language.get()) or (one if number == 1 else many)
    return said.format(count=format_number(number), **_say_fields(fields))


def _say_fields(fields: Mapping[str, object]) -> Mapping[str, object]:
    return {
        name: value.say() if isinstance(value, Sentence) else value
        for name, value in fields.items()
    }


def current_language() -> str:
    """Return the language of the moment: one of ``LANGUAGES``."""
    return _language.get()


def use_language(language: str) -> None:
    """Use this language from now on in this context."""
    _language.set(language)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Use this language inside the context."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def pick_language(wanted: Iterable[str], *, chosen: str | None = None) -> str:
    """Return the language to speak.

    Args:
        wanted: What the browser asks for, best first: ``"de-AT"``, ``"en"``.
        chosen: By the setting, which outranks the browser.
    """
    if chosen is not None:
        return chosen
    known = (tag.replace("_", "-").split("-")[0].lower() for tag in wanted)
    return next((language for language in known if language in LANGUAGES), ENGLISH)


def format_number(number: int) -> str:
    """Return a whole number with thousands separators: ``"41,977"``, in German ``"41.977"``."""
    return _format_number(number, _language.get())


def format_decimal(number: float, digits: int = 1) -> str:
    """Return a number with so many decimals: ``"2.4"``, in German ``"2,4"``."""
    text = f"{number:,.{digits}f}"
    if _language.get() == ENGLISH:
        return text
    group, point = _separators(_language.get())
    return text.translate({ord(","): group, ord("."): point})


def format_day(moment: date) -> str:
    """Return a day: ``"20 Nov 2026"``, in German ``"20.11.2026"``."""
    if _language.get() == ENGLISH:
        return f"{moment.day} {moment:%b %Y}"
    from babel.dates import format_date

    return str(format_date(moment, "medium", locale=_language.get()))


def _format_number(number: int, language: str) -> str:
    text = f"{number:,}"
    return text if language == ENGLISH else text.replace(",", _separators(language)[0])


def _separators(language: str) -> tuple[str, str]:
    from babel.numbers import get_decimal_symbol, get_group_symbol

    return get_group_symbol(language), get_decimal_symbol(language)


def _find(text: str, number: int, language: str) -> str | None:
    return None if language == ENGLISH else _read_catalogue(language)(text, number)


@cache
def _read_catalogue(language: str) -> Callable[[str, int], str | None]:
    with (_LOCALE / f"{language}.po").open("rb") as file:
        return read_catalogue(file, language)


def read_catalogue(file: IO[bytes], language: str) -> Callable[[str, int], str | None]:
    """Read the translations of a ``.po`` file, with the plural rule in its header.

    Returns what finds the translation of an English text for a number; None: there is none.
    """
    from gettext import c2py

    from babel.messages.pofile import read_po

    messages = read_po(file, locale=language)
    texts: dict[str, str | tuple[str, ...]] = {}
    for message in messages:
        if not message.id or message.fuzzy:
            continue
        if isinstance(message.id, (tuple, list)):
            forms = tuple(str(form) for form in message.string or ())
            if forms and all(forms):
                texts[str(message.id[0])] = forms
        elif message.string:
            texts[str(message.id)] = str(message.string)
    find_form = c2py(messages.plural_expr)

    def find(text: str, number: int) -> str | None:
        said = texts.get(text)
        return said[find_form(number)] if isinstance(said, tuple) else said

    return find
