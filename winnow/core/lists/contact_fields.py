"""Contact fields for mail platforms, found by the headings of a list."""

from collections.abc import Sequence
from enum import StrEnum

from winnow.core.meaning.vocabulary import HEADINGS, fold_words, open_vocabulary
from winnow.words import translatable


class ContactField(StrEnum):
    """A contact field other than the address, in words.

    A title is left out: it can be "Dr." or a job.
    """

    CONTACT_ID = translatable("contact ID")
    FIRST_NAME = translatable("first name")
    LAST_NAME = translatable("last name")
    COMPANY = translatable("company")
    JOB_TITLE = translatable("job title")
    PHONE = translatable("phone")
    MOBILE = translatable("mobile phone")
    STREET = translatable("street")
    CITY = translatable("city")
    REGION = translatable("region")
    POSTCODE = translatable("postcode")
    COUNTRY = translatable("country")


def find_fields(columns: Sequence[str], email_column: int) -> dict[ContactField, int]:
    """Return which column of a list holds which field; of several, the first.

    Args:
        columns: Their names, in any case, with any characters between words.
        email_column: Holds none.
    """
    fields = open_vocabulary(HEADINGS, "contact")
    found: dict[ContactField, int] = {}
    for place, name in enumerate(columns):
        entry = fields.find(fold_words(name))
        if entry is not None and place != email_column:
            found.setdefault(ContactField(entry.means), place)
    return found
