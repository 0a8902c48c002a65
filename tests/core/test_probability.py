"""How likely a domain is disposable: by its group, and not where it is not known."""

from dataclasses import replace
from itertools import pairwise, product

import pytest

from winnow.core.verdicts.facts import (
    AddressFacts,
    DomainFacts,
    Listing,
    MailFacts,
    MailRoute,
    OwnEntry,
)
from winnow.core.verdicts.policy import SANDBOX_DEFAULT, decide
from winnow.core.verdicts.probability import GROUPS, KNOWN, SIGNS, find_group, find_probability
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.look_up.look_up import Knowledge

ONE, COPY, OTHER, THIRD = (
    Listing(source, family, "x.example")
    for source, family in (("a", "one"), ("b", "one"), ("c", "two"), ("d", "three"))
)
PLAIN = DomainFacts("x.example", registrable="x.example")
HOST = Listing("hosts", "hosts", "example")
SERVED = replace(PLAIN, mail=MailFacts(MailRoute.MX, "mx.example", "mx.example"))
PROBABILITIES = {group: place / 10 for place, group in enumerate(GROUPS)}


@pytest.mark.parametrize(
    ("facts", "group"),
    [
        (PLAIN, "0 none"),
        (replace(PLAIN, risky_suffix="xyz"), "0 weak"),
        (replace(PLAIN, machine_made=True), "0 weak"),
        (replace(PLAIN, disposable_word="temp"), "0 strong"),
        (replace(PLAIN, subdomain_host=HOST), "0 strong"),
        (replace(PLAIN, risky_suffix="xyz", machine_made=True), "0 strong"),
        pytest.param(replace(PLAIN, listings=(ONE, COPY)), "1 none", id="copies-count-once"),
        (replace(PLAIN, listings=(ONE, OTHER)), "2 none"),
        pytest.param(replace(PLAIN, listings=(ONE, OTHER, THIRD)), "2 none", id="three-are-two"),
        (replace(PLAIN, free=ONE), KNOWN),
        (replace(PLAIN, relay=ONE), KNOWN),
        pytest.param(replace(PLAIN, free=ONE, listings=(OTHER,)), "1 none", id="listed-provider"),
    ],
)
def test_a_domain_belongs_to_one_group(facts: DomainFacts, group: str) -> None:
    assert find_group(facts) == group
    verdict = decide(AddressFacts(domain=facts))
    assert find_probability(verdict, facts, PROBABILITIES) == PROBABILITIES[group]


OWN = OwnEntry(Category.BLACK, "x", Reason.OWN_ADDRESS)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param(AddressFacts(fault=Reason.NO_AT_SIGN), id="malformed"),
        pytest.param(AddressFacts(domain=PLAIN, own=OWN), id="own-list"),
        pytest.param(AddressFacts(domain=DomainFacts("co.uk")), id="suffix"),
        pytest.param(AddressFacts(domain=SERVED), id="mail-host-of-disposable-services"),
    ],
)
def test_there_is_none_where_it_is_not_known(address: AddressFacts) -> None:
    assert find_probability(decide(address), address.domain, PROBABILITIES) is None


def test_the_sandbox_and_data_without_a_table_know_none() -> None:
    assert find_probability(SANDBOX_DEFAULT, PLAIN, PROBABILITIES) is None
    assert find_probability(decide(AddressFacts(domain=PLAIN)), PLAIN, {}) is None


def test_more_families_and_stronger_signs_never_make_it_less_likely(knowledge: Knowledge) -> None:
    found = knowledge.probabilities
    assert set(found) == set(GROUPS)
    assert all(0 < likely < 1 for likely in found.values())
    assert found[KNOWN] <= min(found.values())
    for count, (weaker, stronger) in product(range(3), pairwise(SIGNS)):
        assert found[f"{count} {weaker}"] <= found[f"{count} {stronger}"]
    for (fewer, more), sign in product(pairwise(range(3)), SIGNS):
        assert found[f"{fewer} {sign}"] <= found[f"{more} {sign}"]


def test_it_decides_nothing(knowledge: Knowledge) -> None:
    """The one place where it could: what rules are given has no such field."""
    assert not any("probab" in name for name in DomainFacts.__dataclass_fields__)
    provider = knowledge.look_up("gmail.com")
    listed = knowledge.look_up("mailinator.com")
    for facts, is_likely in ((provider, False), (listed, True)):
        likely = find_probability(
            decide(AddressFacts(domain=facts)), facts, knowledge.probabilities
        )
        assert likely is not None
        assert (likely > 0.9) is is_likely
