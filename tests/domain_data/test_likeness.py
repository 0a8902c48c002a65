"""Domains of one number are judged alike, and most domains that nobody knows have a number."""

import random
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from winnow.core.verdicts.facts import AddressFacts, LocalFlag
from winnow.core.verdicts.policy import decide
from winnow.core.verdicts.verdict import Verdict
from winnow.domain_data.look_up.look_up import Knowledge

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"
_TOPS = (
    "com", "de", "co.uk", "ck", "www.ck", "kawasaki.jp", "city.kawasaki.jp", "tk", "xyz", "edu.pl",
    "gov", "ac.uk", "zip",
)  # fmt: skip
_ODD = (
    "", ".", "com", "co.uk", "a", "a.b.c.d.e", "x..de", "-x.de", "b\u00fcro.de", "\u4f8b.\u4f8b",
    "xn--bro-hoa.de", "mail.xn--bro-hoa.de", "a_b.de", "a b.de", "x" * 300 + ".de", "1.2.3.4",
    "gmail.com", "gmial.com", "gmailx.com", "mail.gmail.com", "yahoo.fantasy", "mail2you.com",
    "tempmail.top", "aeiouxkcdq.com", "bcdfgh.com", "a1b2c3.com", "a1b2-c3.com", "qzxkq.com",
)  # fmt: skip


FLAGS = (LocalFlag.NONE, *LocalFlag)


def require_alike(knowledge: Knowledge, domains: list[str]) -> int:
    """Compare the verdicts of the domains of each number; return how many have one."""
    numbers = knowledge.number_alike(domains)
    assert len(numbers) == len(domains)
    verdicts: dict[int, dict[tuple[Verdict, ...], str]] = defaultdict(dict)
    for domain, number in zip(domains, numbers, strict=True):
        if number:
            facts = knowledge.look_up(domain)
            judged = tuple(decide(AddressFacts(flags=flag, domain=facts)) for flag in FLAGS)
            verdicts[number].setdefault(judged, domain)
    assert all(len(found) == 1 for found in verdicts.values()), verdicts
    return len(domains) - numbers.count(0)


def edit(pick: random.Random, text: str) -> str:
    """Return a text with one slip: a letter left out, put in, changed, or two exchanged."""
    place, letter = pick.randrange(len(text)), pick.choice(_LETTERS)
    return pick.choice(
        (
            text[:place] + text[place + 1 :],
            text[:place] + letter + text[place:],
            text[:place] + letter + text[place + 1 :],
            text[:place] + text[place : place + 2][::-1] + text[place + 2 :],
        )
    )


def test_names_near_those_on_lists(knowledge: Knowledge) -> None:
    pick = random.Random(7)  # made-up data
    listed = [name for name, _ in knowledge._names.items()]
    domains = list(_ODD)
    for name in pick.sample(listed, 3_000):
        head, _, rest = name.partition(".")
        domains += (name, f"mail.{name}", f"{head}.{pick.choice(_TOPS)}", edit(pick, name))
        domains += (f"{edit(pick, head)}.{rest}", f"{head}{pick.randrange(10_000)}.{rest}")
    numbered = require_alike(knowledge, [*domains, *domains[:100]])
    assert numbered > len(domains) / 8


def test_names_near_the_big_providers(knowledge: Knowledge) -> None:
    pick = random.Random(8)  # made-up data
    targets = sorted(knowledge._header["typo_targets"])
    reviewed = sorted(knowledge._header["misspellings"])
    domains = [*targets, *reviewed]
    for target in targets:
        domains += (edit(pick, target) for _ in range(60))
        domains += (edit(pick, edit(pick, target)) for _ in range(30))
    require_alike(knowledge, domains)


def test_most_names_that_nobody_knows_have_a_number(knowledge: Knowledge) -> None:
    names = [f"lamido{number}rasaku.{top}" for number in range(100) for top in ("de", "co.uk")]
    assert require_alike(knowledge, names) > 0.9 * len(names)
    assert set(knowledge.number_alike(["lamidorasaku.de", "lamidorasaku.xyz"])) == {1, 2}
    assert knowledge.number_alike(["la1mi2do3.de", "la1mi2do3.xyz"]) == bytes([1, 3])
    assert (knowledge.number_alike([]), knowledge.number_alike(["gmail.com"])) == (b"", b"\0")


@given(
    st.lists(
        st.builds(
            ".".join,
            st.lists(st.text(_LETTERS, max_size=9) | st.sampled_from(_TOPS), max_size=4),
        ),
        max_size=40,
    )
)
def test_any_names(knowledge: Knowledge, domains: list[str]) -> None:
    require_alike(knowledge, domains)
