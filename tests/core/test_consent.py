"""Columns that say who may be mailed: by name, and what their cells mean."""

import pytest

from winnow.core.lists.contact_fields import ConsentColumn, find_consent, forbids_mail, name_consent

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
