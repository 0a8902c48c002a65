"""Why an address is not black: each thing that was looked at, and why it was not enough."""

from datetime import UTC, date, datetime

import pytest

from winnow.core.verdicts.facts import (
    AddressFacts,
    AgeFacts,
    DomainFacts,
    Guard,
    Listing,
    ListReach,
    LocalFlag,
    MailFacts,
    MailRoute,
    OwnEntry,
    Protection,
)
from winnow.core.verdicts.not_black import GUARD_SENTENCES, explain_not_black
from winnow.core.verdicts.policy import SANDBOX_DEFAULT, decide
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category

REACH = ListReach(("by hand", "crawl", "copy"), 2, date(2026, 11, 9))
CRAWL = Listing("crawl", "crawl", "kurz.example", date(2026, 7, 1))
COPY = Listing("copy", "crawl", "kurz.example", date(2026, 4, 1))
HAND = Listing("by hand", "hand", "kurz.example", date(2026, 11, 9), reviewed=True)
FREE = Listing("providers", "free", "kurz.example", date(2026, 1, 1))
ASKED = datetime(2026, 11, 20, 12, tzinfo=UTC)


def explain(facts: DomainFacts) -> str:
    verdict = decide(AddressFacts(domain=facts))
    findings = explain_not_black(verdict, facts, REACH)
    assert all(found.reason is verdict.reasons[0] for found in findings)
    return "\n".join(found.rule for found in findings)


def test_every_guard_has_its_sentence() -> None:
    assert set(GUARD_SENTENCES) == set(Guard)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        pytest.param(
            DomainFacts("kurz.example"),
            "on none of the lists of disposable services. There are 3,",
            id="on-no-list",
        ),
        pytest.param(
            DomainFacts("kurz.example", listings=(CRAWL,)), "Only one list names it", id="one-list"
        ),
        pytest.param(
            DomainFacts("kurz.example", listings=(CRAWL, COPY)),
            "2 lists name it, but they copy one another",
            id="copies-count-once",
        ),
        pytest.param(
            DomainFacts(
                "kurz.example",
                protection=Protection(Guard.KNOWN_CONFLICT, (HAND, CRAWL), "a newspaper"),
            ),
            "2 lists name kurz.example. They do not count here.",
            id="set-aside",
        ),
        pytest.param(
            DomainFacts(
                "kurz.example", protection=Protection(Guard.KNOWN_CONFLICT, (CRAWL,), "a newspaper")
            ),
            "by mistake. Note: a newspaper",
            id="with-the-reviewed-note",
        ),
        pytest.param(
            DomainFacts("kurz.example", risky_suffix="xyz"),
            "Signs in the name alone (its ending) are never enough",
            id="one-sign",
        ),
        pytest.param(DomainFacts("kurz.example"), "no sign in its name", id="no-sign"),
        pytest.param(DomainFacts("kurz.example"), "DNS was not asked", id="dns-off"),
        pytest.param(
            DomainFacts("kurz.example", mail=MailFacts(MailRoute.UNKNOWN, asked_at=ASKED)),
            "gave no answer, which does not count against",
            id="dns-silent",
        ),
        pytest.param(
            DomainFacts("kurz.example", mail=MailFacts(MailRoute.IMPLICIT_MX, asked_at=ASKED)),
            "may take its mail (RFC 5321, 5.1).",
            id="dns-implicit",
        ),
        pytest.param(
            DomainFacts(
                "kurz.example",
                free=FREE,
                mail=MailFacts(MailRoute.MX, "mx.example", "mx.example", ASKED),
            ),
            "for a known provider",
            id="shared-host-of-a-provider",
        ),
        pytest.param(DomainFacts("kurz.example"), "no registry was asked", id="age-not-asked"),
        pytest.param(
            DomainFacts("kurz.example", age=AgeFacts(registry="rdap.example", asked_at=ASKED)),
            "the registry did not give it",
            id="age-not-given",
        ),
        pytest.param(
            DomainFacts("kurz.example", age=AgeFacts(date(2010, 1, 1))),
            "not registered recently",
            id="old",
        ),
        pytest.param(DomainFacts("kurz.example", relay=FREE), "Relays are not removed", id="relay"),
        pytest.param(
            DomainFacts("gmial.com", misspells="gmail.com"),
            "or a typing mistake is only removed where DNS",
            id="alike",
        ),
    ],
)
def test_it_says_what_was_looked_at(facts: DomainFacts, said: str) -> None:
    assert said in explain(facts)


def test_the_newest_list_is_dated() -> None:
    facts = DomainFacts("kurz.example")
    lists = explain_not_black(decide(AddressFacts(domain=facts)), facts, REACH)[0]
    assert (lists.source, lists.dated) == ("by hand, crawl, copy", date(2026, 11, 9))


def test_dns_that_decided_is_not_said_twice() -> None:
    facts = DomainFacts("kurz.example", mail=MailFacts(MailRoute.MX, "mx.example", asked_at=ASKED))
    assert "DNS" not in explain(facts)


@pytest.mark.parametrize("category", Category)
def test_black_own_and_sandbox_verdicts_have_nothing_to_explain(category: Category) -> None:
    black = DomainFacts("kurz.example", listings=(HAND,))
    own = DomainFacts("kurz.example", own=OwnEntry(category, "kurz.example", Reason.OWN_DOMAIN))
    assert explain(black) == ""
    assert explain(own) == ""
    assert explain_not_black(SANDBOX_DEFAULT, DomainFacts("kurz.example"), REACH) == ()
    assert explain_not_black(decide(AddressFacts(fault=Reason.EMPTY)), None, REACH) == ()


def test_a_mail_host_that_is_a_reason_is_not_set_aside() -> None:
    mail = MailFacts(MailRoute.MX, "mx.x.example", disposable_mx="mx.x.example", asked_at=ASKED)
    facts = DomainFacts("kurz.example", mail=mail)
    verdict = decide(AddressFacts(domain=facts, flags=LocalFlag.MANY_DOTS))
    assert verdict.reasons == (Reason.MANY_DOTS, Reason.DISPOSABLE_NEIGHBOURS)
    found = explain_not_black(verdict, facts, REACH)
    assert not [one.rule for one in found if "mail server" in one.rule]
