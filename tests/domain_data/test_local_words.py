"""Local parts of functions composed of parts, and those that only fill in a form."""

import pytest

from winnow.core.addresses.address import local_flags
from winnow.core.verdicts.facts import LocalFlag
from winnow.core.verdicts.judge import Judge, judge_text
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.look_up.look_up import Knowledge

FUNCTIONS = """
    info2 sales01 customer-service accounts.payable human_resources vertrieb-nord support-de
    uk.sales info-berlin service.clients ressourceshumaines ressources-humaines poststelle bonjour
    recursos.humanos ufficio-vendite kontakt-muenchen team-marketing
"""
PEOPLE = """
    per md sf pd mt la lt ta bd cm gm pm uk us alexa sydney paris india anna2 m.sales nord
    anna-nord it2 hr.meier
"""


@pytest.mark.parametrize("local_part", FUNCTIONS.split())
def test_composites_are_functions(knowledge: Knowledge, local_part: str) -> None:
    assert LocalFlag.ROLE in local_flags(local_part, knowledge.local_words)


@pytest.mark.parametrize("local_part", PEOPLE.split())
def test_initials_and_first_names_are_none(knowledge: Knowledge, local_part: str) -> None:
    assert LocalFlag.ROLE not in local_flags(local_part, knowledge.local_words)


@pytest.mark.parametrize(
    ("address", "is_filler"),
    [
        ("test@test.de", True),
        ("Asd@asd.com", True),
        ("abc@test.org", True),
        ("123@123.com", True),
        ("noemail@gmail.com", True),
        ("no-tiene@hotmail.com", True),
        ("asdf@firma.de", True),
        ("keine@web.de", True),
        ("xxx+1@gmx.de", True),
        ("test@gmail.com", False),
        ("test@firma.de", False),
        ("info@test.de", False),
        ("asd@firma.dk", False),
        ("anna@abc.com", False),
        ("johndoe@gmail.com", False),
    ],
)
def test_filler_addresses(knowledge: Knowledge, address: str, is_filler: bool) -> None:
    verdict = judge_text(Judge(knowledge), address).verdict
    assert (Reason.FILLER_ADDRESS in verdict.reasons) == is_filler
    assert verdict.category is (Category.GREY if is_filler else Category.WHITE)


@pytest.mark.parametrize("domain", ["test.de", "asd.com", "abc.org"])
def test_labels_that_fill_in_a_form_are_looked_up(knowledge: Knowledge, domain: str) -> None:
    assert knowledge.number_alike([domain]) == b"\0"
