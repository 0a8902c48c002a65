"""Texts for people in their language: English in the code, others from ``winnow/locale``.

The English text is its own key, as in gettext. ``make words`` collects all of them; a translation
is one file (``de.po``). The language belongs to the context of a run, a request or a task, never
to the process. The default is English.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import IO

ENGLISH = "en"
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "de": "Deutsch"}
"""The languages that pages speak, by their codes, each with its own name."""
_LOCALE = Path(__file__).parent / "locale"
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+")
_FIELD = re.compile(r"\{(?:\d|count)\}")
_OTHER_FIELD = re.compile(r"\{[a-z_]+\}")
_WITH_REMARK = re.compile(r"(.+) \(([^()]+)\)", re.DOTALL)
_SENTENCES_END = re.compile(r"(?<=[.?!]) (?=[A-Z\d\N{LEFT DOUBLE QUOTATION MARK}])")
_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


@dataclass(frozen=True, slots=True)
class _Catalogue:
    """Translations by the English text: one form or one for each plural."""

    texts: Mapping[str, str | tuple[str, ...]]
    patterns: Sequence[tuple[re.Pattern[str], str]]
    """Texts with numbered fields, the longest first: a pattern for each, and its translation."""
    find_form: Callable[[int], int]
    """Returns the index of a number's plural form, by the catalogue's own rule."""

    def find(self, text: str, number: int = 1) -> str | None:
        said = self.texts.get(text)
        return said[self.find_form(number)] if isinstance(said, tuple) else said

    def recognise(self, text: str) -> str | None:
        """Return the translation of a filled text, or None if the catalogue does not have it."""
        for pattern, said in self.patterns:
            if found := pattern.fullmatch(text):
                fields = [say_written(field) for field in found.groups()]
                return said.format(*fields, count=fields[0])
        return None


def mark(text: str) -> str:
    """Return a text as it is, for ``say`` to translate later: in tables of the core."""
    return text


def say(text: str, /, **fields: object) -> str:
    """Return a text in the language of the moment, ``{names}`` in it filled.

    Without fields nothing is filled, so that braces in a text that is no pattern may stand.
    """
    said = _find(text) or text
    return said.format(**fields) if fields else said


def say_written(text: str) -> str:
    """Translate a text that the core has already written in English.

    Errors and notices are written before their reader's language is known, and kept as texts. They
    are in the catalogue with numbers for filled fields: ``"Line {0} holds a NUL byte."``
    A text of several sentences is translated as a whole or sentence by sentence, and of a name
    with a remark, ``"Windows-1252 (Western Europe)"``, the remark alone.
    """
    if _language.get() == ENGLISH or not text:
        return text
    if _NUMBER.fullmatch(text):
        return format_number(int(text.replace(",", "")))
    said = _find(text) or _read_catalogue(_language.get()).recognise(text)
    if said is None and len(sentences := _SENTENCES_END.split(text)) > 1:
        return " ".join(map(say_written, sentences))
    if said is None and (named := _WITH_REMARK.fullmatch(text)) and (remark := _find(named[2])):
        return f"{named[1]} ({remark})"
    return said or text


def say_many(number: int, one: str, many: str, /, **fields: object) -> str:
    """Return the form for a number; ``{count}`` is the number with its thousands separators."""
    said = _find(one, number) or (one if number == 1 else many)
    return said.format(count=format_number(number), **fields)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A translatable text and its fields, translated later for its reader.

    A field is a text from outside, a number, or several marked texts, which make one list.
    """

    text: str
    fields: tuple[tuple[str, str | int | tuple[str, ...]], ...] = ()

    def say(self) -> str:
        """Return it in the language of the moment."""
        return say(self.text, **{name: _fill(value) for name, value in self.fields})

    def in_english(self) -> str:
        """Return it in English, as programs read it."""
        with speaking(ENGLISH):
            return self.say()


def _fill(value: str | int | tuple[str, ...]) -> str:
    if isinstance(value, int):
        return format_number(value)
    return value if isinstance(value, str) else ", ".join(map(say, value))


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
    text = f"{number:,}"
    return text if _language.get() == ENGLISH else text.replace(",", _separators()[0])


def format_decimal(number: float, digits: int = 1) -> str:
    """Return a number with so many decimals: ``"2.4"``, in German ``"2,4"``."""
    text = f"{number:,.{digits}f}"
    if _language.get() == ENGLISH:
        return text
    group, point = _separators()
    return text.translate({ord(","): group, ord("."): point})


def format_day(moment: date) -> str:
    """Return a day: ``"20 Nov 2026"``, in German ``"20.11.2026"``."""
    if _language.get() == ENGLISH:
        return f"{moment.day} {moment:%b %Y}"
    from babel.dates import format_date

    return str(format_date(moment, "dd.MM.yyyy", locale=_language.get()))


_USER_ASSIGNED = re.compile("aa|q[m-z]|x[a-z]|zz")  # ISO 3166-1, 8.1.3: no country's


def name_territory(code: str) -> str | None:
    """Return a country's name by its ISO 3166-1 letters: ``"Germany"``, in German "Deutschland"."""
    from babel import Locale

    if _USER_ASSIGNED.fullmatch(code):
        return None
    names: Mapping[str, str] = Locale.parse(_language.get()).territories
    return names.get(code.upper())


def _separators() -> tuple[str, str]:
    from babel.numbers import get_decimal_symbol, get_group_symbol

    language = _language.get()
    return get_group_symbol(language), get_decimal_symbol(language)


def _find(text: str, number: int = 1) -> str | None:
    language = _language.get()
    return None if language == ENGLISH else _read_catalogue(language).find(text, number)


@cache
def _read_catalogue(language: str) -> _Catalogue:
    with (_LOCALE / f"{language}.po").open("rb") as file:
        return read_catalogue(file, language)


def read_catalogue(file: IO[bytes], language: str) -> _Catalogue:
    """Read the translations of a ``.po`` file, with the plural rule in its header."""
    from gettext import c2py

    from babel.messages.pofile import read_po

    messages = read_po(file, locale=language)
    find_form = c2py(messages.plural_expr)
    texts: dict[str, str | tuple[str, ...]] = {}
    filled: dict[str, str] = {}
    for message in messages:
        if not message.id or message.fuzzy:
            continue
        if isinstance(message.id, (tuple, list)):
            forms = tuple(str(form) for form in message.string or ())
            if forms and all(forms):
                texts[str(message.id[0])] = forms
                one, many = map(str, message.id)
                filled |= {one: forms[find_form(1)], many: forms[find_form(5)]}
        elif message.string:
            texts[str(message.id)] = filled[str(message.id)] = str(message.string)
    return _Catalogue(texts, _list_patterns(filled), find_form)


def _list_patterns(texts: Mapping[str, str]) -> Sequence[tuple[re.Pattern[str], str]]:
    return [
        (re.compile("(.+?)".join(map(re.escape, _FIELD.split(text))), re.DOTALL), texts[text])
        for text in sorted(texts, key=len, reverse=True)
        if _FIELD.search(text) and not _OTHER_FIELD.search(_FIELD.sub("", text))
    ]
