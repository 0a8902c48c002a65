"""What columns of a list are: who may be mailed, and what they become in a platform's file."""

import pytest

from winnow.core.lists.contact_fields import (
    ConsentColumn,
    ContactField,
    find_consent,
    find_fields,
    forbids_mail,
    name_consent,
)
from winnow.core.lists.platforms import Platform, PlatformFile, lay_out

OUT, IN, STATUS = ConsentColumn


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Unsubscribed", OUT), ("unsubscribed_at", OUT), ("Opt-out", OUT), ("Email Opt Out", OUT),
        ("HasOptedOutOfEmail", OUT), ("Unsubscribed from all email", OUT), ("UNSUB_TIME", OUT),
        ("Do Not Email", OUT), ("Email Suppressions", OUT), ("EMAIL_BLACKLISTED", OUT),
        ("Blocklisted", OUT), ("Abgemeldet", OUT), ("Abmeldedatum", OUT),
        ("D\u00e9sabonn\u00e9", OUT),
        ("D\u00e9sinscrit", OUT), ("Disiscritto", OUT), ("Afgemeld", OUT), ("Wypisany", OUT),
        ("Email Marketing Consent", IN), ("Accepts Email Marketing", IN), ("subscribed", IN),
        ("OPTIN_TIME", IN), ("Einwilligung", IN), ("Newsletter", IN), ("Status", STATUS),
        ("Subscription status", STATUS),
        ("SMS Consent", None), ("Phone opt-out", None), ("Name", None), ("Order status", None),
        ("email", None), ("Nachname", None), ("Newsletter source", None),
    ],
)  # fmt: skip
def test_a_column_is_recognised_by_its_name(name: str, kind: ConsentColumn | None) -> None:
    assert find_consent((name,)).get(0) is kind


@pytest.mark.parametrize(
    ("kind", "forbidding", "other"),
    [
        (
            OUT,
            "Yes TRUE 1 x ja oui unsubscribed 2024-05-01 05.01.2024 HARD_BOUNCE ['UNSUBSCRIBE'] "
            "USER_SUPPRESSED 1714521600",
            "No false 0 nein [] never moved https://shop.example/unsubscribe/2024 0000-00-00 -",
        ),
        (IN, "UNSUBSCRIBED no FALSE 0 Opted-out", "SUBSCRIBED NEVER_SUBSCRIBED yes 1 2024-05-01 ?"),
        (STATUS, "Unsubscribed cleaned abgemeldet opt-out", "subscribed active no 0 true pending"),
    ],
)  # fmt: skip
def test_a_cell_forbids_mail(kind: ConsentColumn, forbidding: str, other: str) -> None:
    assert [one for one in forbidding.split() if not forbids_mail(kind, one)] == []
    assert [one for one in ("", *other.split()) if forbids_mail(kind, one)] == []


def test_a_general_column_is_named_where_its_cells_are_about_mail() -> None:
    columns = ("Status", "email", "Abgemeldet")
    assert list(name_consent(columns, [("new", "a@b.example", "")])) == [2]
    assert list(name_consent(columns, [("new",), ("Unsubscribed", "a@b.example", "")])) == [0, 2]


GERMAN = ("Nr.", "Vorname", "NACH-NAME", "E-Mail", "Straße", "PLZ", "Ort", "Firma", "Handy")
NAMES = {  # of a file of contacts, and of a suppression file
    Platform.MAILCHIMP: ("Email Address, First Name, Last Name, Company", "Email Address"),
    Platform.HUBSPOT: (
        "Email, First name, Last name, Company name, Mobile phone number, Street address, City, "
        "Postal code",
        "Email",
    ),
    Platform.KLAVIYO: (
        "Email, First Name, Last Name, Organization, Address, City, Zip Code",
        "Email",
    ),
    Platform.SALESFORCE: (
        "Email, FirstName, LastName, MobilePhone, MailingStreet, MailingCity, MailingPostalCode",
        "Email Address",
    ),
    Platform.BREVO: ("EMAIL, FIRSTNAME, LASTNAME", "EMAIL"),
}


@pytest.mark.parametrize("platform", Platform)
def test_columns_get_the_names_that_the_import_wants(platform: Platform) -> None:
    names, suppressed = NAMES[platform]
    layout = lay_out(PlatformFile(platform), GERMAN, 3)
    assert ", ".join(layout.header) == names
    assert layout.missing == ()
    used = {column.source for column in layout.columns}
    assert sorted(used | set(layout.left_out)) == list(range(len(GERMAN)))
    assert 0 in layout.left_out
    file = PlatformFile(platform, is_suppression=True, adds_verdict=True, adds_others=True)
    layout = lay_out(file, GERMAN, 3)  # the address alone
    assert (layout.header, [column.source for column in layout.columns]) == ((suppressed,), [3])
    of_its_own = (*platform.traits.fields.values(), platform.traits.email)
    layout = lay_out(PlatformFile(platform), of_its_own, len(of_its_own) - 1)
    # "Title" is left alone elsewhere: it is often Dr.
    known = [name for name in of_its_own[:-1] if name != "Title"]
    assert [column.name for column in layout.columns[1:]] == known


def test_others_come_along_under_names_of_their_own() -> None:
    columns = ("email", "first name", "Email", "Tags", "", "tags")
    layout = lay_out(PlatformFile(Platform.MAILCHIMP, adds_others=True), columns, 0)
    assert layout.header == ("Email Address", "First Name", "Email", "Tags", "column 5", "tags 2")
    assert layout.left_out == ()
    tagged = PlatformFile(Platform.MAILCHIMP, adds_verdict=True, adds_others=True)
    layout = lay_out(tagged, columns, 0)
    assert layout.header[2:4] == ("Tags", "Email")
    assert layout.header[4:] == ("Tags 2", "column 5", "tags 3")
    assert [column.source for column in layout.columns] == [0, 1, None, 2, 3, 4, 5]


def test_of_two_columns_for_one_field_the_first_counts() -> None:
    assert find_fields(("email", "vorname", "first_name"), 0) == {ContactField.FIRST_NAME: 1}
    assert find_fields(("first name",), 0) == {}  # the addresses' own column


def test_what_the_platform_asks_for_is_named_where_it_is_missing() -> None:
    layout = lay_out(PlatformFile(Platform.SALESFORCE), ("email", "first name"), 0)
    assert layout.missing == (ContactField.LAST_NAME,)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        *((name, ContactField.FIRST_NAME) for name in ("First_Name", "Prénom", "Imię")),
        *((name, ContactField.POSTCODE) for name in ("Kod pocztowy", "ZIP/Postal Code")),
        ("nom de famille", ContactField.LAST_NAME),
        ("Bundesland", ContactField.REGION),
        ("Job-Title", ContactField.JOB_TITLE),
        *((name, None) for name in ("", "Titel", "name", "id", "!!", "vorname_2_alt")),
    ],
)
def test_names_are_known_in_several_languages(name: str, field: ContactField | None) -> None:
    assert find_fields((name, "email"), 1) == ({field: 0} if field else {})
