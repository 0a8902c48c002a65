"""What columns of a list become in a platform's file."""

import pytest

from winnow.core.lists.contact_fields import ContactField, find_fields
from winnow.core.lists.platforms import Platform, PlatformFile, lay_out

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
