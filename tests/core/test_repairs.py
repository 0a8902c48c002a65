"""What a malformed value seems to mean, and what a pasted text is split into."""

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.core.addresses.address import duplicate_key, find_address, parse_address
from winnow.core.addresses.pasted import split_pasted
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.addresses.repairs import find_repair, propose_repair, suggest_address
from winnow.core.errors import AddressSyntaxError
from winnow.core.ports import StaticKnowledge
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.verdicts.facts import DomainFacts, Listing
from winnow.core.verdicts.reasons import Reason

MAILBOXES = Listing("made-up list", "free", "gmail.com")
KNOWN = StaticKnowledge(
    {
        "gmail.com": DomainFacts("gmail.com", free=MAILBOXES),
        "gmial.com": DomainFacts("gmial.com", misspells="gmail.com"),
    }
)

# Unicode's Default_Ignorable_Code_Point, one of each block, and a Braille cell without dots.
UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u17b4\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066"
    "\u206f\u2800\u3164\ufe0f\ufeff\uffa0\ufff0\U0001bca0\U0001d173\U000e0001\U000e0061"
)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        *((text, "ana@kurz.de") for text in ("MAILTO:ana@kurz.de", "an\u00ada@kurz\u2060.de")),
        *((text, "ana@gmail.com") for text in ("Ana <ana@gmial.com>", "ana@gmail.com,")),
        *((text, "ana@gmail.com") for text in ("ana@gmailcom", "Ana <ana@gmailcom>")),
        *((text, "ana@gmail.com") for text in ("ana@gmial.com", "'ana@gmial.com")),
        *(("'ana@kurz.de", "ana@kurz.de"), ("ana@kurz.de", None), ("o'ra@kurz.de", None)),
        ("ana @GmailCom", "ana@gmail.com"),
        ("ana@kurz.de ::: bo@kurz.de", "ana@kurz.de, bo@kurz.de"),
        *((text, None) for text in ("ana@kurzde", "Ana <nobody>", "nobody", "", "@kurz.de")),
        *((text, None) for text in ("ana maria@kurz.de", "\u200b", "a" * 5000 + "@kurz,de")),
    ],
)
def test_repairs(text: str, address: str | None) -> None:
    assert suggest_address(text, KNOWN.look_up) == address
    if (parsed := find_address(text)) is not None:  # then these say whether something is wrong
        assert suggest_address(text, KNOWN.look_up, KNOWN.look_up(parsed.domain)) == address


@pytest.mark.parametrize("character", UNSEEN, ids=lambda character: f"U+{ord(character):04X}")
@pytest.mark.parametrize("place", [0, 1, 3, 4, 6, 11])
def test_what_nobody_sees_makes_invalid_and_is_nobodys_duplicate(character: str, place: int):
    clean = "ana@kurz.de"
    text = clean[:place] + character + clean[place:]
    with pytest.raises(AddressSyntaxError) as raised:
        parse_address(text)
    assert raised.value.reason is Reason.UNSEEN_CHARACTERS
    assert duplicate_key(text) != duplicate_key(clean)
    assert suggest_address(text, KNOWN.look_up) == clean


@given(st.text(max_size=40) | st.from_regex(r"[a-z.,\u200b @<>]{0,12}@[a-z.,\u200b ]{0,12}"))
def test_suggestions_are_always_well_formed_addresses(text: str) -> None:
    suggestion = suggest_address(text, KNOWN.look_up)
    named = [] if suggestion is None else suggestion.split(", ")
    assert all(str(parse_address(one)) == one for one in named)


KINDS: dict[tuple[RepairKind | None, str | None], tuple[str, ...]] = {
    (RepairKind.AT_SIGN, "ana@kurz.de"): (
        "ana@@kurz.de", "ana(at)kurz.de", "ana [at] kurz (dot) de",
    ),
    (None, None): (
        "ana(at)bob@kurz.de", "ana@@bob@kurz.de", "ana@kurz.de", "ana@gmial.com", "o'ana@kurz.de",
        "ana@kurz.de; nobody", "'=ana@kurz.de", "<+ana@kurz.de>", "a@b@kurz.de", "'", "@",
        "a" * 5000 + "@kurz,de",
    ),
    (RepairKind.DOTS, "ana@kurz.de"): ("ana@kurz;de",),
    (RepairKind.LOCAL_BLANKS, "an.na@kurz.de"): ("an..na@kurz.de",),
    (RepairKind.WRAPPED, "ana@kurz.de"): (
        "Ana <ana@kurz.de>", '"Ana, M." <ana@kurz.de>', "<ana@kurz.de>", "<mailto:ana@kurz.de>",
        "mailto:ana@kurz.de?subject=x", "ana@kurz.de (work)", "'ana@kurz.de'",
        "\u201cana@kurz.de\u201d", "ana@kurz.de;", "ana@kurz.de'", "ana@kurz.de, Ana@Kurz.de",
        "SMTP:ana@kurz.de", "E-Mail: ana@kurz.de", "ana@kurz.de#mailto:ana@kurz.de#",
        "Ana Weiss#mailto:ana@kurz.de#", "ana@kurz.de#MAILTO:ana@kurz.de?subject=x##",
        "ana@kurz.de ::: Ana@kurz.de", '"ana@kurz.de" <ana@kurz.de>',
    ),
    (RepairKind.DOTS, "ana@gmail.com"): (
        "email:ana@gmail,com", "ana@gmail,com", "ana@gmail..com", "ana@.gmail.com",
        "ana@gmail.com.", "Ana <ana@gmail,com>",
    ),
    (RepairKind.UNSEEN, "ana@kurz.de"): ("ana@kurz.de\u200b", "\ufeff<ana@kurz.de>"),
    (RepairKind.BLANKS, "ana@gmail.com"): (
        "ana @gmail.com", "ana@ gmail.com", "ana@gmail .com", "ana@gmail. com",
    ),
    (RepairKind.BLANKS, "ana@kurz.de"): ("ana\u00a0@kurz.de",),
    (RepairKind.FULL_WIDTH, "ana@kurz.de"): (
        "ana\uff20kurz.de", "\uff41na\uff20\uff4b\uff55rz\uff0ede",
    ),
    (RepairKind.APOSTROPHE, "ana@gmail.com"): ("'ana@gmail.com", "''ana@gmail.com"),
    (RepairKind.LOCAL_BLANKS, "ana@kurz.de"): (".ana@kurz.de",),
    (RepairKind.LOCAL_BLANKS, "Mr.ana@kurz.de"): ("Mr. ana@kurz.de",),
    (RepairKind.COMMAS, "ana@kurz.de.tel"): ("ana@kurz.de. Tel",),
    (RepairKind.COMMAS, "ana@kurz.de.bob"): ("ana@kurz.de,bob",),
    (RepairKind.COMMAS, "ana@kurz.co.uk"): ("ana@kurz.co,uk",),
    (RepairKind.LETTERS, "ana2@kurz.de"): ("ana\u00b2 @kurz.de",),
    (RepairKind.SEVERAL, "ana@kurz.de"): (
        "ana@kurz.de; bob@kurz.de", "ana@kurz.de bob@kurz.de",
        "Ana <ana@kurz.de>, Bob <bob@kurz.de>", "bob@kurz.de <ana@kurz.de>",
        "ana@kurz.de ::: bob@kurz.de", "ana@kurz.de:::bob@kurz.de ::: cy@kurz.de",
        "bob@kurz.de#mailto:ana@kurz.de#", "SMTP:ana@kurz.de;smtp:bob@kurz.de",
    ),
}  # fmt: skip
"""By kind and by what comes out: texts that are repaired so, or not at all."""


@pytest.mark.parametrize(
    ("text", "found"), [(text, found) for found, texts in KINDS.items() for text in texts]
)
def test_kinds(text: str, found: tuple[RepairKind | None, str | None]) -> None:
    repair = find_repair(text)
    assert (repair and repair.kind, repair and repair.new) == found


def test_every_kind_is_in_the_table_and_safe_ones_stand_first() -> None:
    met = {kind for kind, _ in KINDS}
    assert met - {None} == {kind for kind in RepairKind if not kind.is_of_domain}
    are_safe = [kind.is_safe for kind in RepairKind]
    assert are_safe == sorted(are_safe, reverse=True)
    assert not any(kind.is_of_domain for kind in SAFE_KINDS)


@given(st.text(max_size=40) | st.from_regex(r"['a-z.,\u200b @<>;]{0,12}@['a-z.,\u200b @<>;]{0,12}"))
def test_a_repair_is_well_formed_and_final(text: str) -> None:
    found = find_repair(text)
    if found is None:
        return
    assert str(parse_address(found.new)) == found.new
    assert find_repair(found.new) is None


@pytest.mark.parametrize(
    ("text", "kinds", "singles", "new"),
    [
        ("ana@kurz,de", SAFE_KINDS, {}, "ana@kurz.de"),
        ("  ana@kurz,de ", SAFE_KINDS, {"ana@kurz,de": None}, None),
        ("ana@kurz,de", (), {"ana@kurz,de": "ana@kurz.de"}, "ana@kurz.de"),
        ("ana@kurz,de", (), {}, None),
        ("a@kurz.de; b@kurz.de", SAFE_KINDS, {}, None),
        ("ana@gmial.com", (), {"ana@gmial.com": None}, None),
        ("ana@hotmial.com", (), {"ana@hotmial.com": "ana@hotmail.com"}, "ana@hotmail.com"),
        ("Ana@GMIAL.com", (), {}, "Ana@gmail.com"),
        ("Ana <ana@gmial.com>", (), {}, None),
        ("Ana <ana@gmial.com>", SAFE_KINDS, {}, "ana@gmail.com"),
        ("ana@GmailCom", (), {}, "ana@gmail.com"),
        ("a b@gmailcom", SAFE_KINDS, {}, None),
    ],
)
def test_a_choice_repairs_what_it_names(
    text: str, kinds: Collection[RepairKind], singles: dict[str, str | None], new: str | None
) -> None:
    domains = {"gmial.com": "gmail.com", "gmailcom": "gmail.com"}
    found = RepairChoice(frozenset(kinds), domains, singles).apply(text)
    assert (found and found.new) == new


@pytest.mark.parametrize(
    "text",
    ["ana@kurz,de", "Ana <ana@gmial.com>", "ana@gmailcom", "Ana <ana@gmailcom>", "'ana@gmial.com",
     "a@b.de; c@d.de"],
)  # fmt: skip
def test_what_is_proposed_is_what_its_acceptance_does(text: str) -> None:
    proposal = propose_repair(text, KNOWN.look_up)
    assert proposal is not None
    kinds = frozenset() if proposal.repair is None else frozenset({proposal.repair.kind})
    domains = {} if proposal.target is None else {proposal.domain: proposal.target}
    done = RepairChoice(kinds, domains).apply(text)
    assert done is not None
    assert (done.new, done.kind) == (proposal.new, proposal.kind)


ANA, BO = "ana@x.de", "bo@y.de"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param("ana@x.de\n\n  bo@y.de \r\nnobody", [ANA, BO, "nobody"], id="lines"),
        pytest.param("ana@x.de, bo@y.de,nobody", [ANA, BO, "nobody"], id="commas"),
        pytest.param("ana@x.de;bo@y.de;", [ANA, BO], id="semicolons"),
        pytest.param("ana@x.de bo@y.de", [ANA, BO], id="blanks"),
        pytest.param("Ana <ana@x.de>:::Bo <bo@y.de>", [ANA, BO], id="google-contacts"),
        pytest.param("CC:\tAna <ana@x.de>,\r\n\tbo@y.de", [ANA, BO], id="folded-header"),
        pytest.param(
            "From: Ana <ana@x.de>\nTo: Bo <bo@y.de>\nSubject: 3", [ANA, BO, "Subject: 3"],
            id="two-headers",
        ),
        pytest.param('"Ex, Ana" <ana@x.de>, Bo <bo@y.de>', [ANA, BO], id="comma-in-a-name"),
        pytest.param("Ex, Ana <ana@x.de>; Why, Bo <bo@y.de>", [ANA, BO], id="outlook"),
        pytest.param('"Ex; Ana" <ana@x.de>; Bo <bo@y.de>', [ANA, BO], id="semicolon-in-a-name"),
        pytest.param("Ana <ana@x.de>\nBo <bo@y.de>", [ANA, BO], id="named-lines"),
        pytest.param("1\tAna\tana@x.de\n2\tBo\tbo@y.de", [ANA, BO], id="spreadsheet-rows"),
        pytest.param("Ana\tnone\nBo\tbo@y.de", ["Ana", BO], id="a-row-without-an-address"),
        pytest.param("ana@@x.de, bo@y", ["ana@@x.de", "bo@y"], id="malformed-ones-stay"),
        pytest.param("ana@gmail,com\nbo@y.de", ["ana@gmail,com", BO], id="a-comma-for-a-dot"),
        pytest.param("  Ana <ana@x.de> ", [ANA], id="one-with-a-name"),
        pytest.param("To: Ana <ana@x.de>", [ANA], id="one-in-a-header"),
        pytest.param('"a,b"@x.de', ['"a,b"@x.de'], id="a-quoted-comma"),
        pytest.param('"a b"@x.de', ['"a b"@x.de'], id="a-quoted-blank"),
        pytest.param("ana @x.de", ["ana @x.de"], id="a-blank-inside"),
        pytest.param("undisclosed-recipients:;", ["undisclosed-recipients:;"], id="empty-group"),
        pytest.param(" \n\t\n", [], id="nothing"),
        pytest.param("((((" * 9_000 + "<,@", None, id="nested-comments"),
        pytest.param("<a@x.de>," * 60_000, None, id="a-long-line"),
    ],
)  # fmt: skip
def test_pasted_texts_become_addresses(text: str, values: list[str] | None) -> None:
    found = split_pasted(text)
    if values is None:
        assert found
    else:
        assert found == values


@given(st.text(st.sampled_from('a@.,;:<>()"\\ \t\r\nTo'), max_size=60))
def test_whatever_is_pasted_is_split_without_loss_of_every_address(text: str) -> None:
    found = split_pasted(text)
    assert all(value.strip() for value in found)
    assert bool(found) == bool(text.strip())
