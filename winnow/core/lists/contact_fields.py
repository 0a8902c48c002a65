"""Contact fields (name, company …), found by column names, for mail platforms."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from winnow.core.unicode_forms import normalise_form
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


def spell_plainly(name: str) -> str:
    """Return a name in small letters and digits only, without accents."""
    parts = normalise_form("NFKD", name.casefold())
    return "".join(letter for letter in parts if letter.isalnum())
