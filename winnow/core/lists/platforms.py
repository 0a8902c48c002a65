"""Mail platforms' import formats: one record each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from winnow.core.lists.contact_fields import ContactField, find_fields
from winnow.core.unicode_forms import number_names
from winnow.words import translatable

_MB = 1_000_000  # the smaller meaning of the word


class Platform(StrEnum):
    """The platforms, by the codes that links and the command line have."""

    MAILCHIMP = "mailchimp"
    HUBSPOT = "hubspot"
    KLAVIYO = "klaviyo"
    SALESFORCE = "salesforce"
    BREVO = "brevo"

    @property
    def traits(self) -> "PlatformTraits":
        """What is known of it."""
        return PLATFORMS[self]


@dataclass(frozen=True, slots=True)
class PlatformTraits:
    """A platform's import of contacts, and of addresses that must get no mail.

    All of them take CSV in UTF-8 with commas and a header, and match columns by these names. What
    they store in a field of its own shape (telephone numbers of Klaviyo and Brevo, with + and the
    country's code) is not named: one odd number would cost the row.

    Attributes:
        name: As it calls itself.
        email: The address's column.
        fields: The columns that it fills by itself, in their order.
        verdict: The column for the category: a field of the analyst's own, or tags.
        verdict_prefix: Text before the category, where that is one of several tags.
        suppression: The one column of addresses that are to get no mail.
        most_bytes: Of one file.
        most_rows: Below the header; None: no limit of its own.
        required: The fields without which it takes no contact.
        import_words: Where contacts are imported, in its own words.
        suppression_words: Where suppressed addresses are imported.
    """

    name: str
    email: str
    fields: Mapping[ContactField, str]
    verdict: str
    suppression: str
    most_bytes: int
    import_words: str
    suppression_words: str
    most_rows: int | None = None
    verdict_prefix: str = ""
    required: tuple[ContactField, ...] = ()


# What follows was read in November 2026.
PLATFORMS: Mapping[Platform, PlatformTraits] = {
    # mailchimp.com/help/format-guidelines-for-your-import-file: "Email Address" is the one column
    # that must be there; "Tags" are parted by commas. It documents no size; 200 MB is reported as
    # the most that its page takes.
    Platform.MAILCHIMP: PlatformTraits(
        name="Mailchimp",
        email="Email Address",
        fields={
            ContactField.FIRST_NAME: "First Name",
            ContactField.LAST_NAME: "Last Name",
            ContactField.COMPANY: "Company",
            ContactField.PHONE: "Phone Number",
        },
        verdict="Tags",
        verdict_prefix="winnow ",
        suppression="Email Address",
        most_bytes=100 * _MB,
        import_words=translatable("Audience, Add contacts, Import contacts."),
        suppression_words=translatable(
            "Import it like contacts, and choose the status Unsubscribed."
        ),
    ),
    # knowledge.hubspot.com/import-and-export/set-up-your-import-file: 512 MB and 1,048,576 rows a
    # file (20 MB without a subscription); knowledge.hubspot.com/contacts/import-an-opt-out-list.
    Platform.HUBSPOT: PlatformTraits(
        name="HubSpot",
        email="Email",
        fields={
            ContactField.FIRST_NAME: "First name",
            ContactField.LAST_NAME: "Last name",
            ContactField.COMPANY: "Company name",
            ContactField.JOB_TITLE: "Job title",
            ContactField.PHONE: "Phone number",
            ContactField.MOBILE: "Mobile phone number",
            ContactField.STREET: "Street address",
            ContactField.CITY: "City",
            ContactField.REGION: "State/Region",
            ContactField.POSTCODE: "Postal code",
            ContactField.COUNTRY: "Country/Region",
        },
        verdict="Winnow category",
        suppression="Email",
        most_bytes=512 * _MB,
        most_rows=1_048_575,
        import_words=translatable("Contacts, Import, Start an import."),
        suppression_words=translatable("Contacts, Import, Start an import, Opt-out list."),
    ),
    # help.klaviyo.com/hc/en-us/articles/115005078967: the address is first, 50 MB a file;
    # 115005073867 on suppressing many: only the column Email.
    Platform.KLAVIYO: PlatformTraits(
        name="Klaviyo",
        email="Email",
        fields={
            ContactField.FIRST_NAME: "First Name",
            ContactField.LAST_NAME: "Last Name",
            ContactField.COMPANY: "Organization",
            ContactField.JOB_TITLE: "Title",
            ContactField.STREET: "Address",
            ContactField.CITY: "City",
            ContactField.REGION: "State / Region",
            ContactField.POSTCODE: "Zip Code",
            ContactField.COUNTRY: "Country",
        },
        verdict="Winnow Category",
        suppression="Email",
        most_bytes=50 * _MB,
        import_words=translatable("Lists & segments, your list, Upload contacts."),
        suppression_words=translatable("Profiles, Suppressed Profiles, Upload File."),
    ),
    # Data Loader fills fields of Contact by their API names, in files of at most 150 MB
    # (developer.salesforce.com, Bulk API 2.0, Limits); LastName must be there. Suppression lists
    # are Marketing Cloud's: help.salesforce.com, mc_es_auto_suppresion_lists.
    Platform.SALESFORCE: PlatformTraits(
        name="Salesforce",
        email="Email",
        fields={
            ContactField.CONTACT_ID: "Id",
            ContactField.FIRST_NAME: "FirstName",
            ContactField.LAST_NAME: "LastName",
            ContactField.JOB_TITLE: "Title",
            ContactField.PHONE: "Phone",
            ContactField.MOBILE: "MobilePhone",
            ContactField.STREET: "MailingStreet",
            ContactField.CITY: "MailingCity",
            ContactField.REGION: "MailingState",
            ContactField.POSTCODE: "MailingPostalCode",
            ContactField.COUNTRY: "MailingCountry",
        },
        verdict="Winnow_Category__c",
        suppression="Email Address",
        most_bytes=150 * _MB,
        required=(ContactField.LAST_NAME,),
        import_words=translatable(
            "Data Loader, object Contact: Upsert by Id, or Insert without an Id."
        ),
        suppression_words=translatable("Marketing Cloud: import it into an auto-suppression list."),
    ),
    # help.brevo.com/hc/en-us/articles/208729849: 250 MB a file; names of attributes;
    # 208773869 on blocklisted contacts.
    Platform.BREVO: PlatformTraits(
        name="Brevo",
        email="EMAIL",
        fields={
            ContactField.FIRST_NAME: "FIRSTNAME",
            ContactField.LAST_NAME: "LASTNAME",
            ContactField.JOB_TITLE: "JOB_TITLE",
        },
        verdict="WINNOW_CATEGORY",
        suppression="EMAIL",
        most_bytes=250 * _MB,
        import_words=translatable("Contacts, Import contacts."),
        suppression_words=translatable("Import it like contacts, and choose to blocklist them."),
    ),
}


@dataclass(frozen=True, slots=True)
class PlatformFile:
    """A file for a platform.

    Attributes:
        platform: Which.
        is_suppression: The rows must get no mail: only their addresses, in one column.
        adds_verdict: With a column for the category.
        adds_others: With the list's other columns under their own names.
    """

    platform: Platform
    is_suppression: bool = False
    adds_verdict: bool = False
    adds_others: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the choice as plain values."""
        return {
            "platform": self.platform.value,
            "suppression": self.is_suppression,
            "verdict": self.adds_verdict,
            "others": self.adds_others,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "PlatformFile":
        """Read what ``to_json`` wrote.

        Raises:
            ValueError: A platform that this version does not know.
        """
        return cls(
            Platform(values["platform"]),
            bool(values["suppression"]),
            bool(values["verdict"]),
            bool(values["others"]),
        )


@dataclass(frozen=True, slots=True)
class LaidColumn:
    """A column of the file: its name, and the list's own that fills it; None: the category."""

    name: str
    source: int | None


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a file for a platform.

    Attributes:
        columns: In the file's order; the address is first.
        verdict_prefix: Text before each category.
        left_out: Indices of the list's own columns that are not in it.
        missing: Fields that the platform requires and no column holds.
    """

    columns: tuple[LaidColumn, ...]
    verdict_prefix: str
    left_out: tuple[int, ...]
    missing: tuple[ContactField, ...]

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class PlatformPreview:
    """Preview of a file: its columns, its first rows, and how many it leaves out.

    ``unusable`` rows have malformed addresses, which no platform imports.
    """

    layout: Layout
    rows: tuple[tuple[str, ...], ...]
    unusable: int


def lay_out(file: PlatformFile, columns: Sequence[str], email_column: int) -> Layout:
    """Return the layout of a list's columns in a file for a platform.

    Args:
        file: What was chosen.
        columns: The list's names; ``""`` for a column without one.
        email_column: Which of them holds the addresses.
    """
    traits = file.platform.traits
    others = range(len(columns))
    if file.is_suppression:
        alone = (LaidColumn(traits.suppression, email_column),)
        return Layout(alone, "", tuple(one for one in others if one != email_column), ())
    found = find_fields(columns, email_column)
    id_name = traits.fields.get(ContactField.CONTACT_ID)
    if id_name in columns:  # spelt as the platform does: "id" is any list's own number
        found.setdefault(ContactField.CONTACT_ID, columns.index(id_name))
    laid: tuple[LaidColumn, ...] = (
        LaidColumn(traits.email, email_column),
        *(
            LaidColumn(name, found[field])
            for field, name in traits.fields.items()
            if field in found
        ),
    )
    if file.adds_verdict:
        laid = (*laid, LaidColumn(traits.verdict, None))
    used = {column.source for column in laid}
    left_out = tuple(one for one in others if one not in used)
    if file.adds_others:
        bases = (columns[place].strip() or f"column {place + 1}" for place in left_out)
        names = number_names(bases, (column.name for column in laid), str.casefold, " ")
        laid, left_out = (*laid, *map(LaidColumn, names, left_out)), ()
    missing = tuple(field for field in traits.required if field not in found)
    return Layout(laid, traits.verdict_prefix, left_out, missing)
