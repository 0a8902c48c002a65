"""Each reason and each domain type has all its words in its one record."""

import copy
import pickle
from enum import StrEnum
from operator import attrgetter

import pytest

from winnow.core.verdicts.domain_types import DomainType, Ground
from winnow.core.verdicts.facts import DomainFacts, Evidence, Listing
from winnow.core.verdicts.policy import list_offline_signs
from winnow.core.verdicts.reasons import Origin, Reason
from winnow.words import Sentence

CODES = [
    "invalid_empty", "invalid_no_at_sign", "invalid_no_local_part", "invalid_no_domain",
    "invalid_no_tld", "invalid_local_part", "invalid_local_part_too_long", "invalid_domain",
    "invalid_domain_too_long", "invalid_address_too_long", "invalid_tld",
    "invalid_special_use_domain", "invalid_domain_literal", "invalid_display_name",
    "invalid_characters", "invalid_unseen_characters", "own_list_address", "own_list_domain",
    "own_list_wildcard", "own_list_local_part", "relay", "mediated_mail", "close_misspelling",
    "confusable_script",
    "placeholder", "disposable_reviewed", "disposable_listed", "disposable_mx",
    "disposable_neighbours", "disposable_listed_with_sign", "doubtful_list", "risky_tld",
    "unknown_tld", "free_subdomain_host", "throwaway_word", "machine_made_name", "government",
    "education", "free_provider", "business", "unlisted", "domain_not_found", "null_mx",
    "no_mail_route", "mail_unknown", "parked_domain", "working_mail", "newly_registered",
    "plus_tag", "many_dots", "role_account", "sandbox",
]  # fmt: skip
TYPES = [
    "invalid", "disposable", "no website", "multi-alias services", "masked legitimate",
    "suspicious signs", "free", "education", "government", "business", "unlisted", "white",
    "grey", "black", "unknown",
]  # fmt: skip
LISTING = Listing("list", "family", "a.example")


def test_codes_that_were_given_out_stay() -> None:
    assert [reason for reason in Reason if reason.value in CODES] == CODES
    assert [domain_type for domain_type in DomainType if domain_type.value in TYPES] == TYPES


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_its_words(reason: Reason) -> None:
    assert reason.words == reason.words.strip(" .")
    assert reason.rule.endswith(".")
    assert reason.label[1:] == reason.words[1:]
    assert reason.value.startswith("invalid_") is (reason.origin is Origin.FORMAT)


@pytest.mark.parametrize("closed", [Reason, DomainType, Ground])
def test_a_code_finds_its_record_wherever_it_comes_from(closed: type[StrEnum]) -> None:
    for member in closed:
        assert closed(member.value) is member
        assert pickle.loads(pickle.dumps(member)) is member  # noqa: S301
        assert copy.deepcopy(member) is member
        assert f"{member}" == member == member.value


def test_words_tell_reasons_and_types_apart() -> None:
    assert len({reason.words for reason in Reason}) == len(Reason)
    assert len({domain_type.meaning for domain_type in DomainType}) == len(DomainType)
    assert len({ground.words for ground in Ground}) == len(Ground)


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason.fact is not None])
def test_what_a_reason_saw_is_a_fact(reason: Reason) -> None:
    assert reason.fact is not None
    assert attrgetter(reason.fact)(DomainFacts("")) in (None, "")


def test_every_sign_of_a_name_is_named_as_one() -> None:
    facts = DomainFacts(
        "a.example",
        subdomain_host=LISTING,
        risky_suffix="xyz",
        disposable_word="x",
        machine_made=True,
    )
    assert {reason for reason in Reason if reason.sign} == set(list_offline_signs(facts))


def test_the_standard_of_a_reason_is_in_its_detail_and_in_what_programs_read() -> None:
    found = Evidence(
        Reason.NULL_MX, Sentence(Reason.NULL_MX.rule), detail=Reason.NULL_MX.detail, note="seen"
    )
    said = "DNS says that the domain takes no mail"
    assert found.sentence.say() == f"{said}."
    assert found.rule == f"{said} (null MX, RFC 7505). Note: seen"
