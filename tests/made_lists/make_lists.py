"""Make lists like the ones that analysts bring: European Excel exports, the same at every run.

The disposable domains among them come from an installed package.
"""

import csv
import random
import unicodedata
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from disposable_email_domains import blocklist

SEED = 20_261_120
DUPLICATE_SHARE = 0.17
DISPOSABLE_SHARE = 0.03
MALFORMED_SHARE = 0.015
BLANK_SHARE = 0.008
LINE_BREAK_SHARE = 0.05

COLUMNS = (
    "Kd-Nr", "Vorname", "Nachname", "email", "Firma", "PLZ", "Ort", "Umsatz", "Kunde seit", "Notiz",
)  # fmt: skip
_FIRST = (
    "Anneliese", "Jürgen", "Käthe", "Björn", "Günther", "Zoë", "Hélène", "François", "Aurélie",
    "Benoît", "Chloé", "Łukasz", "Małgorzata", "Agnieszka", "Paweł", "Świętosława", "Jan", "Eva",
    "Tim", "Nora",
)  # fmt: skip
_LAST = (
    "Müller", "Weiß", "Größing", "Schröder", "Jäger", "Lefèvre", "Béranger", "Garçon", "Noël",
    "D'Artois", "Wiśniewska", "Dąbrowski", "Żółkiewicz", "Król", "Święcki", "von der Aue",
    "Meyer-Öztal", "Klein", "Braun", "Petit",
)  # fmt: skip
_CITIES = (
    ("01067", "Dresden"), ("04109", "Leipzig"), ("50667", "Köln"), ("80331", "München"),
    ("01000", "Bourg-en-Bresse"), ("06000", "Nice"), ("67000", "Strasbourg"),
    ("00-001", "Warszawa"), ("90-001", "Łódź"), ("30-001", "Kraków"),
)  # fmt: skip
_FREE = (
    "gmail.com", "gmx.de", "web.de", "outlook.com", "orange.fr", "free.fr", "wp.pl", "o2.pl",
    "t-online.de", "yahoo.com",
)  # fmt: skip
_RELAYS = ("duck.com", "mozmail.com", "privaterelay.appleid.com")
_STEMS = (
    "nord", "alpen", "hafen", "werk", "linden", "stern", "acker", "brunnen", "falken", "mühlen",
    "grün", "höhen", "café", "forêt", "rivière", "pont", "most", "las", "zamek", "rzeka",
)  # fmt: skip
_TRADES = (
    "bau", "technik", "handel", "druck", "möbel", "logistik", "atelier", "conseil", "usługi",
    "sklep",
)  # fmt: skip
_TLDS = ("de", "de", "de", "fr", "pl", "com", "eu", "at")
_FORMS = ("GmbH", "GmbH & Co. KG", "AG", "SARL", "S.A.", "Sp. z o.o.")
_NOTES = (
    "", "", "", "", "VIP; nicht anrufen", 'sagt "später"', "Messe 2024", "Rückruf, bitte", "=A1+1",
    "+49 351 000000", "NA", "null", "  zwei Blanks  ", "1e5", "TRUE",
)  # fmt: skip
_MALFORMED = (
    "keine", "n/a", "{0}@", "@{1}", "{0}", "{0}@@{1}", "{0} {1}", "{0}@localhost", "{0}.@{1}",
    "Kundin <{0}@{1}>", "mailto:{0}@{1}", "{0}@-{1}", "{0}@{1}.", "{0},{1}", "{0}@[192.0.2.1]",
)  # fmt: skip
_BEST_FIT = str.maketrans("ąćęłńśźżĄĆĘŁŃŚŹŻ", "acelnszzACELNSZZ")  # as Windows does on saving
_GERMAN = str.maketrans(",.", ".,")


Row = tuple[str, ...]


def make_customers(row_count: int, *, seed: int = SEED) -> Iterator[Row]:
    """Yield customers as a German Excel shows them; lists of several lengths share none."""
    draw = random.Random(f"{seed}/{row_count}")
    own_domains = _make_domains(draw, max(50, row_count // 12))
    disposable = draw.sample(sorted(blocklist), min(len(blocklist), max(20, row_count // 40)))
    seen: list[str] = []
    for row in range(1, row_count + 1):
        first, last = draw.choice(_FIRST), draw.choice(_LAST)
        fate = draw.random()
        if fate < BLANK_SHARE:
            email = draw.choice(("", "", " "))
        elif fate < BLANK_SHARE + MALFORMED_SHARE:
            shape = draw.choice(_MALFORMED)
            email = shape.format(f"{_fold(first)}{row}", draw.choice(own_domains))
        elif seen and fate < BLANK_SHARE + MALFORMED_SHARE + DUPLICATE_SHARE:
            email = _vary(draw, draw.choice(seen))
        else:
            email = f"{_make_local(draw, first, last, row)}@{_pick(draw, own_domains, disposable)}"
            seen.append(email)
        postcode, city = draw.choice(_CITIES)
        note = draw.choice(_NOTES)
        if draw.random() < LINE_BREAK_SHARE:
            note = f"Hausnr. {row % 90}\nHinterhaus, links\n{note}"
        firm = f"{last.title()} {draw.choice(_FORMS)}" if draw.random() < 0.6 else ""
        euros = f"{draw.randrange(-50_000, 9_000_000) / 100:,.2f}".translate(_GERMAN)
        since = date(2005, 1, 1) + timedelta(days=draw.randrange(7_500))
        number, day = f"{row:07}", since.strftime("%d.%m.%Y")
        yield number, first, last, email, firm, postcode, city, euros, day, note


def _make_domains(draw: random.Random, count: int) -> list[str]:
    """Return made-up company domains, many of them international."""
    return [
        f"{draw.choice(_STEMS)}{draw.choice(_STEMS)}-{draw.choice(_TRADES)}{number}"
        f".{draw.choice(_TLDS)}"
        for number in range(count)
    ]


def _make_local(draw: random.Random, first: str, last: str, row: int) -> str:
    shape = draw.random()
    if shape < 0.05:
        return draw.choice(("info", "sales", "kontakt", "office"))
    if shape < 0.08:
        return f"{_fold(first)}+{draw.choice(('news', 'shop'))}{row}"
    if shape < 0.09:
        return f"{_fold(first)}.a.b.c.{_fold(last)}{row}"
    if shape < 0.15:
        return f"{first}.{last.replace(' ', '')}{row}".title().replace("'", "")
    return f"{_fold(first)}.{_fold(last)}{row}"


def _pick(draw: random.Random, own_domains: list[str], disposable: list[str]) -> str:
    fate = draw.random()
    if fate < DISPOSABLE_SHARE / (1 - DUPLICATE_SHARE):
        return draw.choice(disposable)
    if fate < 0.45:
        return draw.choice(_FREE)
    if fate < 0.46:
        return draw.choice(_RELAYS)
    if fate < 0.465:
        return draw.choice(("gmial.com", "gmx.d", "web.dee", "outlok.com"))
    return draw.choice(own_domains)


def _vary(draw: random.Random, email: str) -> str:
    """Write an address again as other hands would."""
    shape = draw.random()
    if shape < 0.2:
        return email.upper() if "ß" not in email else email
    if shape < 0.3:
        return f" {email} "
    if shape < 0.4:
        return unicodedata.normalize("NFD", email)
    return email


def _fold(name: str) -> str:
    folded = name.lower().translate(_BEST_FIT).replace("ß", "ss")
    plain = unicodedata.normalize("NFD", folded).encode("ascii", "ignore").decode()
    return "".join(character for character in plain if character.isalnum())


def write_csv(path: Path, row_count: int, *, seed: int = SEED) -> Path:
    """Write the list as a European Excel saves it: UTF-8 with BOM, semicolons, CRLF."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(COLUMNS)
        writer.writerows(make_customers(row_count, seed=seed))
    return path
