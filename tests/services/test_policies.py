"""Named policies, on a real database."""

import pytest

from winnow.core.errors import BadField
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.named_policy import POLICIES_MAX, SHIPPED
from winnow.core.verdicts.domain_types import Ground
from winnow.services.own.policies import Policies
from winnow.wiring import Application

CHOICE = DownloadChoice(
    CleaningPolicy(frozenset({Ground.BLACK, Ground.ROLE_ACCOUNT})),
    adds_reason=True,
    safe_for_excel=True,
    file_format=FileFormat.XLSX,
)


@pytest.fixture
def policies(opened: Application) -> Policies:
    opened.services.accounts.create("other")
    return opened.services.policies


def _names(policies: Policies, account: str = LOCAL_ACCOUNT) -> list[str]:
    return [one.name for one in policies.list(account)]


def test_every_account_begins_with_the_same(policies: Policies) -> None:
    assert policies.list(LOCAL_ACCOUNT) == policies.list("other") == SHIPPED
    assert policies.find_default("other").name == "Standard"
    assert policies.find_default("other").choice == DownloadChoice()


def test_a_policy_is_kept_as_it_was_made(policies: Policies) -> None:
    made = policies.create(LOCAL_ACCOUNT, "  Für den Herbst ", CHOICE)
    assert policies.find_policy(LOCAL_ACCOUNT, "FÜR DEN HERBST") == made
    assert made.name == "Für den Herbst"
    assert made.choice == CHOICE
    assert _names(policies)[-1] == made.name
    assert _names(policies, "other") == [one.name for one in SHIPPED]


def test_shipped_ones_can_be_changed(policies: Policies) -> None:
    changed = policies.change(LOCAL_ACCOUNT, "standard", name="House rule", choice=CHOICE)
    assert (changed.name, changed.choice, changed.is_default) == ("House rule", CHOICE, True)
    assert _names(policies)[0] == "House rule"
    renamed = policies.change(LOCAL_ACCOUNT, "standard", name="HOUSE RULE")
    assert (renamed.name, renamed.choice) == ("HOUSE RULE", CHOICE)


def test_one_is_the_default(policies: Policies) -> None:
    policies.change(LOCAL_ACCOUNT, "b2b", is_default=True)
    assert [one.policy_id for one in policies.list(LOCAL_ACCOUNT) if one.is_default] == ["b2b"]
    policies.delete(LOCAL_ACCOUNT, "standard")
    assert policies.find_default(LOCAL_ACCOUNT).policy_id == "b2b"
    with pytest.raises(BadField, match="is the default and stays"):
        policies.delete(LOCAL_ACCOUNT, "b2b")
    assert len(policies.list(LOCAL_ACCOUNT)) == len(SHIPPED) - 1


@pytest.mark.parametrize("name", ["", "   ", "x" * 51, "standard", "STANDARD", "\ud800"])
def test_names_that_cannot_be(policies: Policies, name: str) -> None:
    with pytest.raises(BadField):
        policies.create(LOCAL_ACCOUNT, name, CHOICE)
    with pytest.raises(BadField):
        policies.change(LOCAL_ACCOUNT, "b2b", name=name)
    assert policies.list(LOCAL_ACCOUNT) == SHIPPED


def test_what_was_deleted_meanwhile_cannot_be_changed(policies: Policies) -> None:
    for _ in range(2):  # deleting what is not there is no error
        policies.delete(LOCAL_ACCOUNT, "b2b")
    with pytest.raises(BadField, match="deleted meanwhile"):
        policies.change(LOCAL_ACCOUNT, "b2b", choice=CHOICE)
    with pytest.raises(BadField, match="deleted meanwhile"):
        policies.change(LOCAL_ACCOUNT, "b2b", is_default=True)
    with pytest.raises(BadField) as raised:
        policies.find_policy(LOCAL_ACCOUNT, "B2B outreach")
    assert "Newsletter (careful)" in str(raised.value.hint)


def test_there_are_so_many_at_most(policies: Policies) -> None:
    for number in range(POLICIES_MAX - len(SHIPPED)):
        policies.create(LOCAL_ACCOUNT, f"number {number}", CHOICE)
    with pytest.raises(BadField, match="too many already"):
        policies.create(LOCAL_ACCOUNT, "one more", CHOICE)
