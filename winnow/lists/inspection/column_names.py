"""Column names that mean email addresses, in the languages of a data file."""

import re
import unicodedata
from functools import cache
from importlib.resources import files

from winnow.core.unicode_forms import normalise_form

_NO_LETTER = re.compile(r"[\W_]+")
_MAIL_WORDS = ("mail", "correo", "courriel", "posta", "epost", "メール", "почт", "邮", "郵", "메일")


def names_email(name: str) -> bool:
    """Whether a name is one that columns of addresses have: ``"E-Mail-Adresse"``, ``"メール"``."""
    folded = _fold(name)
    return bool(folded) and folded in _read_names()


def speaks_of_mail(name: str) -> bool:
    """Whether a name has to do with mail at all: ``"Mail of the manager"``."""
    folded = _fold(name)
    return folded in _read_names() or any(word in folded for word in _MAIL_WORDS)


def _fold(name: str) -> str:
    """Return a name without case, accents, blanks and punctuation."""
    letters = normalise_form("NFKD", name).casefold()
    bare = "".join(sign for sign in letters if not unicodedata.combining(sign))
    return _NO_LETTER.sub("", normalise_form("NFC", bare))


@cache
def _read_names() -> frozenset[str]:
    path = files("winnow.lists") / "data" / "email_column_names.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(_fold(line.partition("\t")[2]) for line in lines if not line.startswith("#"))
