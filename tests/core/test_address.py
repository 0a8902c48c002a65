"""Format validation: own cases, the shared collection where it stands, and duplicates' keys."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.core.addresses import address as module
from winnow.core.addresses.address import (
    domain_as_given,
    duplicate_key,
    local_flags,
    parse_address,
)
from winnow.core.errors import AddressSyntaxError
from winnow.core.verdicts.facts import LocalFlag
from winnow.core.verdicts.reasons import Reason

SHARED_CASES = Path(__file__).parents[3] / "shared" / "data" / "syntax_cases.tsv"

WELL_FORMED = [
    ("ana@example.com", "ana", "example.com"),
    ("  Ana@Example.COM\t", "Ana", "example.com"),
    ("ana+news@mail.co.uk", "ana+news", "mail.co.uk"),
    ("a@t-online.de", "a", "t-online.de"),
    ("a@" + "x" * 63 + ".de", "a", "x" * 63 + ".de"),
    ("x" * 64 + "@kurz.de", "x" * 64, "kurz.de"),
    ('"two words"@kurz.de', '"two words"', "kurz.de"),
    ("ana@BU\u0308CHER.de", "ana", "xn--bcher-kva.de"),
    ("ana@xn--bcher-kva.de", "ana", "xn--bcher-kva.de"),
    ("jörg@bücher.de", "jörg", "xn--bcher-kva.de"),
    ("ana@firma.xn--p1ai", "ana", "firma.xn--p1ai"),
]

MALFORMED = {
    Reason.EMPTY: ("", " \t"),
    Reason.NO_AT_SIGN: ("ana",),
    Reason.NO_LOCAL_PART: ("@example.com",),
    Reason.NO_DOMAIN: ("ana@",),
    Reason.NO_TLD: ("ana@example",),
    Reason.TLD_NOT_USABLE: ("ana@example.c", "ana@example.123", "ana@example.co-uk"),
    Reason.SPECIAL_USE_DOMAIN: ("ana@box.local", "ana@box.test"),
    Reason.DOMAIN_LITERAL: ("ana@[192.0.2.1]",),
    Reason.LOCAL_PART_SYNTAX: ("ana..b@example.com", ".ana@example.com", "a na@example.com"),
    Reason.TWO_AT_SIGNS: ("ana@b@example.com",),
    Reason.DOMAIN_SYNTAX: (
        "ana@-example.com",
        "ana@exa mple.com",
        "ana@example..com",
        "ana@ab--cd.com",
        "ana@xn--.com",
    ),
    Reason.DOMAIN_TOO_LONG: ("ana@" + "x" * 64 + ".de",),
    Reason.LOCAL_PART_TOO_LONG: ("x" * 65 + "@kurz.de", "ü" * 33 + "@kurz.de"),
    Reason.ADDRESS_TOO_LONG: ("x" * 64 + "@" + ".".join(["y" * 60] * 3) + ".example",),
    Reason.NOT_TEXT: ("ana@exa\0mple.com",),
    Reason.DISPLAY_NAME: ("Ana <ana@example.com>", "mailto:ana@example.com"),
}


@pytest.mark.parametrize(("text", "local_part", "domain"), WELL_FORMED)
def test_well_formed(text: str, local_part: str, domain: str):
    address = parse_address(text)
    assert (address.local_part, address.domain) == (local_part, domain)


@pytest.mark.parametrize(
    ("text", "reason"), [(text, reason) for reason, texts in MALFORMED.items() for text in texts]
)
def test_malformed_says_what_is_wrong(text: str, reason: Reason):
    with pytest.raises(AddressSyntaxError) as caught:
        parse_address(text)
    assert caught.value.reason is reason


@pytest.mark.skipif(not SHARED_CASES.exists(), reason="no shared case collection here")
def test_conformance_with_the_shared_collection():
    wrong = []
    for line in SHARED_CASES.read_text(encoding="utf-8").split("\n")[1:]:
        if not line:
            continue
        text_json, expected, tier, rule, _ = line.split("\t")
        try:
            parse_address(json.loads(text_json))
            found = "valid"
        except AddressSyntaxError:
            found = "invalid"
        if tier != "disputed" and found != expected:
            wrong.append((text_json, expected, rule))
    assert wrong == []


labels = st.text("abxyz019-", min_size=1, max_size=8)
domains = st.lists(labels, min_size=1, max_size=4).map(".".join)
local_parts = st.text("abc.+_'\"@ -ü", max_size=12)


@given(
    st.from_regex(module.FAST_LOCAL_PART, fullmatch=True) | local_parts,
    st.from_regex(module.FAST_DOMAIN, fullmatch=True) | domains,
)
def test_the_fast_path_accepts_only_what_the_slow_path_accepts(local_part: str, domain: str):
    text = f"{local_part}@{domain}"
    if module._FAST.match(text.strip()) is None:
        return
    try:
        fast = parse_address(text)
    except AddressSyntaxError:
        fast = None
    try:
        slow = module._parse_slowly(module.normalise(text))
    except AddressSyntaxError:
        slow = None
    assert fast == slow


@given(st.text(max_size=80))
def test_any_text_is_an_address_or_a_syntax_error(text: str):
    try:
        address = parse_address(text)
    except AddressSyntaxError:
        return
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ("Ana@Example.com", " ana@EXAMPLE.COM ", True),
        ("ana@bücher.de", "ANA@xn--bcher-kva.de", True),
        ("jo\u0308rg@kurz.de", "j\u00f6rg@kurz.de", True),
        ("FOO", " foo", True),
        ("foo", "foo@", False),
        ("a.b@kurz.de", "ab@kurz.de", False),
        ("a+x@kurz.de", "a@kurz.de", False),
        ("", "-", False),
    ],
)
def test_duplicate_keys(one: str, other: str, are_same: bool) -> None:
    assert (duplicate_key(one) == duplicate_key(other)) is are_same
    assert duplicate_key("  ") == ""


@pytest.mark.parametrize(
    ("local_part", "flags"),
    [
        ("ana", LocalFlag.NONE),
        ("ana+news", LocalFlag.PLUS_TAG),
        ("+ana", LocalFlag.NONE),
        ('"a+b"', LocalFlag.NONE),
        ("a.b.c.d", LocalFlag.NONE),
        ("a.b.c.d.e", LocalFlag.MANY_DOTS),
        ("a.b.c.d.e.name", LocalFlag.MANY_DOTS),
        ("A.b.\u00f6.d.e.name.12", LocalFlag.MANY_DOTS | LocalFlag.LONE_PARTS),
        ("1.22.x.name.3.4.5", LocalFlag.MANY_DOTS | LocalFlag.LONE_PARTS),
        ("Maria.Del.Carmen.Garc\u00eda.L\u00f3pez", LocalFlag.NONE),
        ("jean-luc.o'neil.van.der.berg", LocalFlag.NONE),
        ("maria.del.carmen.garcia.l", LocalFlag.MANY_DOTS),
        ("maria.del.carmen.garcia.lopez2", LocalFlag.MANY_DOTS),
        ("ma.ri.a.garcia.lopez", LocalFlag.MANY_DOTS),
        ("maria_del.carmen.garcia.lopez.x_y", LocalFlag.MANY_DOTS),
        ("maria.del.carmen.garcia.lopez+news", LocalFlag.MANY_DOTS | LocalFlag.PLUS_TAG),
        ("Info", LocalFlag.ROLE),
        ("info+x", LocalFlag.ROLE | LocalFlag.PLUS_TAG),
    ],
)
def test_local_flags(local_part: str, flags: LocalFlag):
    assert local_flags(local_part, {"info": LocalFlag.ROLE, "asdf": LocalFlag.NO_MAILBOX}) == flags


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("ana", ""),
        ("ana@", ""),
        ("@Example.COM", "example.com"),
        ("a b@Bücher.de", "xn--bcher-kva.de"),
        ("a@[192.0.2.1]", "[192.0.2.1]"),
        ("a@b@Exa mple", "exa mple"),
    ],
)
def test_domain_as_given(text: str, domain: str):
    assert domain_as_given(text) == domain


@given(
    st.from_regex(module._DOT_ATOM, fullmatch=True)
    | st.text(st.characters(categories=["L", "N", "M", "P", "S"]), min_size=1, max_size=20)
)
def test_letters_of_every_script_pass_as_the_full_validator_says(local_part: str):
    local_part = module.normalise(local_part)
    if module._DOT_ATOM.match(local_part) and len(local_part) <= module.LOCAL_PART_MAX_OCTETS:
        assert module._is_accepted(f"{local_part}@{module._SURELY_RIGHT_DOMAIN}")
