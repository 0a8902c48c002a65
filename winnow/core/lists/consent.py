"""Consent columns of a list (who may be mailed), found by name, and their cells' meaning."""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from winnow.core.lists.contact_fields import spell_plainly


class ConsentColumn(StrEnum):
    """Kind of consent column, by its name."""

    OPT_OUT = "opt-out"  # yes, or the day it happened: no mail
    OPT_IN = "opt-in"  # no: no mail
    STATUS = "status"  # only a word decides


# Parts of names and beginnings of values, as ``spell_plainly`` writes them.
_NO_MAIL = (
    "unsub|optout|optedout|optingout|donotemail|donotmail|donotcontact|noemail|blacklist|blocklist"
    "|suppress"  # English
    "|abgemeld|abmeld|ausgetragen|austrag|werbesperre|werbewiderspruch|mailsperre|newslettersperre"
    "|desabonn|desinscri|dadodebaja|bajanewsletter|disiscri|descadastr"  # fr, es, it, pt
    "|afgemeld|uitgeschreven|wypisan|avregistrer|avprenumer|avanmal|afmeldt|avmeldt"  # nl, pl, sv…
    "|peruuttan|odhlas|\u043e\u0442\u043f\u0438\u0441"  # fi, cs, ru
)
_NAMES = {
    ConsentColumn.OPT_OUT: re.compile(_NO_MAIL),
    ConsentColumn.OPT_IN: re.compile(
        "subscribed|optin|optedin|acceptsmarketing|acceptsemail|consent|angemeldet|abonniert"
        "|einwilligung|zustimmung|consentement|suscrito|iscritto|consenso|aangemeld|toestemming"
        "|zgoda|samtycke|samtykke"
    ),
    ConsentColumn.STATUS: re.compile(
        "subscription|(mail|newsletter|marketing)status|^(status|state|emailmarketing|estado|stato"
        "|statut|stav)$"
    ),
}
"""The first that a name matches counts."""
_OTHER_CHANNELS = re.compile("sms|phone|telefon|whatsapp|call|fax|push|postal|mobile|viber")
_NO_MAIL_WORDS = re.compile(
    f"{_NO_MAIL}|usersuppress|manuallysuppress|globallyunsub|cleaned|hardbounce|spamcomplaint"
    "|invalidemail|complain|revoked|withdrawn|widerrufen"
)
_ABOUT_MAIL = re.compile(f"{_NO_MAIL_WORDS.pattern}|subscribed|neversubscribed")
_YES = re.compile("true|yes|y|1|t|x|on|ja|j|wahr|oui|vrai|si|verdadero|vero|sim|tak|kylla|ano")
_NO = re.compile("false|no|n|0|f|off|nein|falsch|non|faux|falso|nao|nee|nie|nej|nei|ei|ne")
_DAY = re.compile(r"\b(?:19|20)\d\d|^\d{1,2}[./-]\d{1,2}[./-]\d\d\b|^\d{9,14}$")


@lru_cache(maxsize=256)
def find_consent(columns: tuple[str, ...]) -> dict[int, ConsentColumn]:
    """Return which columns of a list may say who may be mailed, by position from 0."""
    found = ((place, _read_name(name)) for place, name in enumerate(columns))
    return {place: kind for place, kind in found if kind is not None}


def name_consent(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[int, ConsentColumn]:
    """Return ``find_consent`` without general columns (``Status``) that say nothing about mail.

    Args:
        columns: The list's, by name.
        rows: Its first rows; a general column needs a cell about mail among them.
    """
    return {
        place: kind
        for place, kind in find_consent(tuple(columns)).items()
        if kind is not ConsentColumn.STATUS
        or any(_is_about_mail(row[place]) for row in rows if place < len(row))
    }


def forbids_mail(kind: ConsentColumn, cell: str) -> bool:
    """Return whether a cell says unsubscribed, opted out or suppressed; unknown words do not."""
    plain = spell_plainly(cell)
    if _NO_MAIL_WORDS.match(plain):
        return True
    if kind is ConsentColumn.OPT_OUT:
        is_day = "://" not in cell and _DAY.search(cell.strip()) is not None
        return is_day or _YES.fullmatch(plain) is not None
    return kind is ConsentColumn.OPT_IN and _NO.fullmatch(plain) is not None


def _is_about_mail(cell: str) -> bool:
    return _ABOUT_MAIL.match(spell_plainly(cell)) is not None


def _read_name(name: str) -> ConsentColumn | None:
    plain = spell_plainly(name)
    if _OTHER_CHANNELS.search(plain):
        return None
    return next((kind for kind, names in _NAMES.items() if names.search(plain)), None)
