"""Domains in many scripts, read many at once, are what the single check says of each."""

import random

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lists.test_address_column import check_column
from tests.lists.test_steady_letters import ODD, STEADY
from winnow.core.addresses.address import parse_address
from winnow.core.errors import AddressSyntaxError
from winnow.lists.engine import domain_spellings
from winnow.lists.engine.domain_spellings import to_a_labels

PIECES = (
    "a", "b2", "-", "--", "xn--", "bro-hoa", "7", "_", "\u00fc", "\u00dc", "\u00df", "\u0431",
    "\u4f8b", "\ud55c", "\u00b7", "\u0375", "\u30fb", "\u05d0", "\u0627", "\u0661", "\u06f1",
    "\u3002", "\uff0e", " ", "\u30fc",
)  # fmt: skip
LABELS = st.builds(
    "".join, st.lists(st.sampled_from([*PIECES, *ODD]) | st.sampled_from(STEADY), max_size=5)
)
TOPS = (
    st.sampled_from(("de", "d", "de2", "test", "co.uk", "\u0440\u0444", "\u4f8b", "xn--p1ai", ""))
    | LABELS
)
DOMAINS = st.builds(
    ".".join,
    st.lists(LABELS, min_size=1, max_size=3).flatmap(
        lambda labels: st.builds(lambda top: [*labels, top], TOPS)
    ),
)


def check(texts: list[str]) -> int:
    """Compare what is found with what the single check says; return for how many it is."""
    found = to_a_labels(pl.Series(texts, dtype=pl.String)).to_list()
    for text, domain in zip(texts, found, strict=True):
        if domain is not None:
            try:
                assert domain == parse_address(f"a@{text}").domain, text
            except AddressSyntaxError as error:
                pytest.fail(f"{text!r} is {error.reason}, not {domain}")
    return sum(domain is not None for domain in found)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(DOMAINS, max_size=20))
def test_any_labels(texts: list[str]) -> None:
    check(texts)


def test_every_letter() -> None:
    pick = random.Random(8)  # made-up data
    codes = [*range(0x80, 0x3400), *pick.sample(range(0x3400, 0xD800), 2_000)]
    assert check([f"{chr(code)}b.de" for code in [*codes, *range(0xE000, 0x11000)]]) > 3_000


@pytest.mark.slow
def test_labels_of_many_letters() -> None:
    pick = random.Random(9)  # made-up data
    scripts = [STEADY[start : start + 60] for start in range(0, len(STEADY), 60)]
    texts = []
    for _ in range(5_000):
        letters = [*pick.choice(scripts), "a", "z", "0", "-"]
        label = "".join(pick.choices(letters, k=pick.randrange(1, 60)))
        texts.append(f"{label}.{pick.choice(('de', 'co.uk', label))}")
    assert check(texts) > 1_000


@pytest.mark.parametrize("size", range(50, 64))
def test_labels_at_their_limit(size: int) -> None:
    domains = [f"{letter}{'x' * size}.de" for letter in "\u00fc\u0431\u4f8b\ud55c"]
    check([*domains, *("y.".join([domain] * 4) for domain in domains)])
    check(["\u4f8b" * size + ".jp", f"{'d' * 60}." * 4 + "\u00fc" * (size - 49) + ".de"])


def test_all_that_people_write() -> None:
    written = [
        "b\u00fccher.de",
        "stra\u00dfe.de",
        "\u043f\u043e\u0447\u0442\u0430.\u0440\u0444",
        "\u4f8b\u3048.jp",
        "\ud55c\uad6d.kr",
        "\u03b1\u03b2\u03b3.gr",
        "mail.ma\u00f1ana.es",
        "\u0142\u00f3d\u017a-1.pl",
        "\u0e01\u0e02.th",
        "B\u00dcCHER.de".lower(),
    ]
    assert check(written) == len(written)


def test_a_column_of_many_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain_spellings, "_MANY_TEXTS", 40)
    texts = [f"{piece}{other}.de" for piece in PIECES for other in (*PIECES, *ODD)]
    check_column([f"a@{text}".encode() for text in texts], "utf-8")
