"""What a malformed value seems to mean: offered, never applied."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.core.addresses.address import duplicate_key, parse_address
from winnow.core.addresses.repairs import suggest_repair
from winnow.core.errors import AddressSyntaxError
from winnow.core.verdicts.facts import DomainFacts, Listing
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.static_knowledge import StaticKnowledge

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
        ("Ana <ana@kurz.de>", "ana@kurz.de"),
        ("mailto:ana@kurz.de?subject=x", "ana@kurz.de"),
        ("MAILTO:ana@kurz.de", "ana@kurz.de"),
        ("Ana <ana@gmial.com>", "ana@gmail.com"),
        ("ana@gmail,com", "ana@gmail.com"),
        ("ana@gmail .com", "ana@gmail.com"),
        ("ana @gmail.com", "ana@gmail.com"),
        ("ana@gmail.com,", "ana@gmail.com"),
        ("ana@gmail.com.", "ana@gmail.com"),
        ("ana@gmail..com", "ana@gmail.com"),
        ("ana@gmailcom", "ana@gmail.com"),
        ("ana@kurzde", None),
        ("'ana@kurz.de'", "ana@kurz.de"),
        ("\uff41na\uff20kurz.de", "ana@kurz.de"),
        ("ana@kurz.de\u200b", "ana@kurz.de"),
        ("\ufeffana@kurz.de", "ana@kurz.de"),
        ("an\u00ada@kurz\u2060.de", "ana@kurz.de"),
        ("ana@kurz.de; bob@kurz.de", None),
        ("Ana <nobody>", None),
        ("nobody", None),
        ("", None),
        ("ana maria@kurz.de", None),
        ("@kurz.de", None),
        ("\u200b", None),
        ("a" * 5000 + "@kurz,de", None),
    ],
)
def test_repairs(text: str, address: str | None) -> None:
    assert suggest_repair(text, KNOWN.look_up) == address


@pytest.mark.parametrize("character", UNSEEN, ids=lambda character: f"U+{ord(character):04X}")
@pytest.mark.parametrize("place", [0, 1, 3, 4, 6, 11])
def test_what_nobody_sees_makes_invalid_and_is_nobodys_duplicate(character: str, place: int):
    clean = "ana@kurz.de"
    text = clean[:place] + character + clean[place:]
    with pytest.raises(AddressSyntaxError) as raised:
        parse_address(text)
    assert raised.value.reason is Reason.UNSEEN_CHARACTERS
    assert duplicate_key(text) != duplicate_key(clean)
    assert suggest_repair(text, KNOWN.look_up) == clean


@given(st.text(max_size=40) | st.from_regex(r"[a-z.,\u200b @<>]{0,12}@[a-z.,\u200b ]{0,12}"))
def test_a_suggestion_is_always_a_well_formed_address(text: str) -> None:
    suggestion = suggest_repair(text, KNOWN.look_up)
    assert suggestion is None or str(parse_address(suggestion)) == suggestion
