"""Columns found by their names: contact fields for mail platforms, consent to mail."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache

from winnow.core.unicode_forms import spell_plainly
from winnow.words import mark


class ContactField(StrEnum):
    """A contact field other than the address, in words.

    A title is left out: it can be "Dr." or a job.
    """

    CONTACT_ID = mark("contact ID")
    FIRST_NAME = mark("first name")
    LAST_NAME = mark("last name")
    COMPANY = mark("company")
    JOB_TITLE = mark("job title")
    PHONE = mark("phone")
    MOBILE = mark("mobile phone")
    STREET = mark("street")
    CITY = mark("city")
    REGION = mark("region")
    POSTCODE = mark("postcode")
    COUNTRY = mark("country")


_NAMES: Mapping[ContactField, str] = {
    ContactField.CONTACT_ID: "contactid contactid18 contactid18digit casesafeid casesafecontactid "
    "salesforceid salesforcecontactid sfid sfcontactid",
    ContactField.FIRST_NAME: "firstname first fname givenname forename vorname prenom nombre nome "
    "voornaam imie fornamn fornavn etunimi",
    ContactField.LAST_NAME: "lastname last lname surname familyname nachname familienname zuname "
    "nom nomdefamille apellido apellidos cognome sobrenome apelido achternaam nazwisko efternamn "
    "efternavn etternavn sukunimi",
    ContactField.COMPANY: "company companyname organization organisation organizationname firma "
    "firmenname unternehmen entreprise societe empresa azienda bedrijf accountname",
    ContactField.JOB_TITLE: "jobtitle position funktion berufsbezeichnung poste fonction cargo "
    "puesto ruolo functie stanowisko",
    ContactField.PHONE: "phone phonenumber telephone telephonenumber telefon telefonnummer tel "
    "festnetz telefono telefone telefoon businessphone workphone landlinenumber",
    ContactField.MOBILE: "mobile mobilephone mobilenumber mobilephonenumber cell cellphone handy "
    "handynummer mobil mobilnummer mobiltelefon movil celular cellulare gsm",
    ContactField.STREET: "street streetaddress address address1 addressline1 strasse hausanschrift "
    "anschrift adresse adresse1 rue direccion indirizzo endereco straat adres mailingstreet",
    ContactField.CITY: "city town ort stadt wohnort ville ciudad citta cidade plaats woonplaats "
    "miasto mailingcity",
    ContactField.REGION: "state region province county stateprovince stateregion bundesland kanton "
    "provincia estado mailingstate",
    ContactField.POSTCODE: "zip zipcode postcode postalcode zippostalcode plz postleitzahl "
    "codepostal cp codigopostal cap cep postnummer kodpocztowy mailingpostalcode",
    ContactField.COUNTRY: "country countryregion countryname land pays pais paese kraj "
    "mailingcountry",
}
_FIELDS = {name: field for field, names in _NAMES.items() for name in names.split()}


def find_fields(columns: Sequence[str], email_column: int) -> dict[ContactField, int]:
    """Return which column of a list holds which field; of several, the first.

    Args:
        columns: Their names, in any case, with any characters between words.
        email_column: Holds none.
    """
    found: dict[ContactField, int] = {}
    for place, name in enumerate(columns):
        field = _FIELDS.get(spell_plainly(name))
        if field is not None and place != email_column:
            found.setdefault(field, place)
    return found


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
_CONSENT_NAMES = {
    ConsentColumn.OPT_OUT: re.compile(_NO_MAIL),
    ConsentColumn.OPT_IN: re.compile(
        "subscribed|optin|optedin|acceptsmarketing|acceptsemail|consent|angemeldet|abonniert"
        "|einwilligung|zustimmung|consentement|suscrito|iscritto|consenso|aangemeld|toestemming"
        "|zgoda|samtycke|samtykke|^newsletters?$"
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
    return next((kind for kind, names in _CONSENT_NAMES.items() if names.search(plain)), None)
