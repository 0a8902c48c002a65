"""A column of cells read at once says of each cell what the single check says of it."""

import random
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from winnow.core.addresses.address import duplicate_key, local_flags, parse_address
from winnow.core.errors import AddressSyntaxError
from winnow.core.verdicts.facts import LocalFlag
from winnow.lists.engine.address_column import AddressColumn
from winnow.lists.engine.domain_texts import DomainTexts, parse_spellings
from winnow.lists.engine.parsed_value import hash_texts, lower_ascii, parse_value
from winnow.lists.engine.row_codes import FAULTS, FIRST_DOMAIN, FIRST_FAULT
from winnow.lists.text.cell_text import decode_cell

LOCAL_WORDS = {
    **dict.fromkeys(("info", "sales", "no-reply"), LocalFlag.ROLE),
    "abc": LocalFlag.FILLER,
    "asdf": LocalFlag.NO_MAILBOX,
}
SQUARE = "\u337f"  # four characters once it is a domain: 18 octets of an A-label for 3

_LOCAL_PIECES = (
    "", "a", "Ana", "info", "INFO", "sales", "no-reply", ".", "..", "....", "+", "++", "'", "-",
    "_", "!#$%&'*+/=?^_`{|}~-", '"', '""', " ", "\t", "\u00a0", "(c)", "\\", ",", ";", ":", "<",
    ">", "[", "\x7f", "\x1f", "\u00f6", "o\u0308", "\u00d6", "\u4f8b", "mailto:", "x" * 61,
    "\u200b", "\ufeff", "\u3164", "\u00ad", "\ufe0f",
    "x" * 63, "x" * 64, "x" * 65, "ana.maria.de.la.cruz", ".de.la",
    "a.b.1.", "d.22.x", "o'neil.jean-luc", "L\u00f3pez",
)  # fmt: skip
_DOMAINS = (
    "", "x", "x.de", "X.De", "firm.co.uk", ".x.de", "x.de.", "x..de", "x.de..", "...", " x.de",
    "x.de ", "\u3000x.de", "x.de\u3000", "-x.de", "x-.de", "xn--bro-hoa.de", "xn--a.de", "ab--c.de",
    "a.test", "A.LOCAL", "b.onion", "x.d", "x.1", "1.2.3.4", "[1.2.3.4]", "b\u00fcro.de",
    "B\u00dcRO.de", "bu\u0308ro.de", "b\u00fcro..de", "B\u00dcRO..de", "\u4f8b\u3002de",
    "x_y.de", "x+y.de", "x'y.de", 'x".de', "x<.de", "x>", "x:y.de", "x y.de", "x\x7f.de",
    "d" * 30 + ".de", "d" * 45 + ".de", "d" * 60 + ".de", "d" * 61 + ".de", "d" * 63 + ".de",
    "d" * 64 + ".de", "d.e" * 21 + "d",
    "\u00fc" * 28 + ".x", "\u4f8b" * 20 + ".jp", "\u4f8b" * 22 + ".jp", f"{SQUARE}." * 13 + "de",
    "long." * 50 + "de", "x.de\u200b", "x\u00ad.de", "x\u200d.de",
    "x.d\u2060e", "\ufeffx.de", "@", "x@y.de", "x.de@",
)  # fmt: skip
_WHOLE = (
    "", " ", '""', '"', '" "', "n/a", ".", "..", "+", "@", "@@", ".@", "@.", ".@.", "a.@.x.de",
    "Ana <a@x.de>", "mailto:a@x.de", '"a b"@x.de', '"a"@x.de', "x" * 4100, "@" + "x" * 4100,
    "x" * 4100 + "@x.de", "a@" + "x." * 2100 + "de", "a@x.de" + " " * 80, "a@x..de" + " " * 80,
)  # fmt: skip
_BROKEN_BYTES = (b"\xc3", b"\xe4\xbe", b"\xff", b"\x80", b"\xed\xb2\x80", b"\xc0\xae", b"\xc3\xb6")


ODD_LETTERS = (  # what composes, is not seen, has no lower case of its own, or is half of something
    "\u0301", "\u0338", "\u0345", "\u0307", "\u03a3", "\u03c2", "\u0130", "\u0131", "\u017f",
    "\u212a", "\u212b", "\u2126", "\u1e9e", "\u00df", "\u1100", "\u1161", "\u11a8", "\uac00",
    "\u0915", "\u093c", "\u094d", "\u0958", "\u200c", "\u200d", "\u3099", "\u304b", "\uff76",
    "\uff21", "\u0640", "\u064b", "\u05b0", "\ufb01", "\u01c5", "\u1f71", "\u00aa", "\u00b2",
    "\U00010400", "\U0001f600", "\ud7b0", "\u0e33", "\u0d3e", "\u3164", "\u00a0",
)  # fmt: skip
USED = "\u00c9\u00e8\u0141\u017a\u1ea3\u041c\u043e\u0457\u0391\u03b2\u6771\u4eac\u3072\u30ab\ud55c"


@st.composite
def raw_cells(draw: st.DrawFn, codec: str) -> bytes:
    """Return a cell as it stands in a file, quotes around it and all."""
    kind = draw(st.integers(0, 9))
    if kind == 0:
        text = draw(st.sampled_from(_WHOLE))
    else:
        local_part = "".join(draw(st.lists(st.sampled_from(_LOCAL_PIECES), max_size=4)))
        text = f"{local_part}@{draw(st.sampled_from(_DOMAINS))}"
    raw = text.encode(codec, "ignore")
    if kind == 1:
        raw += draw(st.sampled_from(_BROKEN_BYTES))
    elif kind == 2:
        raw = raw.replace(b"a", draw(st.sampled_from(_BROKEN_BYTES)), 1)
    elif kind == 3:
        raw = raw[: draw(st.integers(0, len(raw)))]
    if draw(st.integers(0, 3)) == 0:
        raw = b'"' + raw.replace(b'"', b'""') + b'"'
    return raw


def see(text: str) -> tuple[str, LocalFlag]:
    """Return what the single check sees: the fault or the domain, flags of what is well-formed."""
    try:
        address = parse_address(text)
    except AddressSyntaxError as error:
        return error.reason, LocalFlag.NONE
    return address.domain, local_flags(address.local_part, LOCAL_WORDS)


def check_column(cells: list[bytes], codec: str, gaps: tuple[bytes, ...] = (b",",)) -> None:
    """Read cells together and by ``parse_value``, and compare both with the single check."""
    starts, ends, data = [], [], b""
    for place, cell in enumerate(cells):
        data += gaps[place % len(gaps)]
        starts.append(len(data))
        data += cell
        ends.append(len(data))
    data += gaps[0]
    texts = [decode_cell(cell, codec) for cell in cells]
    domains = DomainTexts(FIRST_DOMAIN)
    column = AddressColumn(partial(decode_cell, codec=codec), LOCAL_WORDS, is_utf8=codec == "utf-8")
    block = column.read(
        np.frombuffer(data, np.uint8), np.array(starts, np.int64), np.array(ends, np.int64)
    ).number_domains(domains)
    values = [parse_value(text, LOCAL_WORDS) for text in texts]
    codes = block.codes.tolist()
    for value in values:
        number = [value.fault_code]
        if not value.fault_code:
            text = f"@{lower_ascii(value.domain_text)}"
            number = domains.number(pl.Series([text], dtype=pl.String)).tolist()
        codes += number
    flags = block.flags.tolist() + [value.flags for value in values]
    keys = block.keys.tolist() + hash_texts([value.key_text for value in values]).tolist()
    spellings = parse_spellings(domains)

    groups: dict[str, set[tuple[int, int]]] = {}
    for text, code, flag, key in zip(texts * 2, codes, flags, keys, strict=True):
        canonical = int(spellings.canonical[code])
        fault_code = int(spellings.faults[code])
        assert fault_code == spellings.faults[canonical], text
        if fault_code:
            seen = FAULTS[fault_code - FIRST_FAULT], LocalFlag.NONE
        else:
            name = spellings.texts.read(np.array([canonical], np.uint32))[0]
            seen = name.removeprefix("@"), LocalFlag(flag)
        assert seen == see(text), text
        groups.setdefault(duplicate_key(text), set()).add((key, canonical))
    assert all(len(found) == 1 for found in groups.values()), groups
    assert len(set.union(set(), *groups.values())) == len(groups), groups


@pytest.mark.parametrize("codec", ["utf-8", "cp1252"])
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_column_says_what_the_single_check_says(codec: str, data: st.DataObject) -> None:
    pool = data.draw(st.lists(raw_cells(codec), max_size=12))
    count = data.draw(st.sampled_from((0, 1, 2, 12, 63, 64, 65, 200))) if pool else 0
    pick = random.Random(data.draw(st.integers(0, 1 << 16)))
    cells = pick.choices(pool, k=count)
    if data.draw(st.booleans()):  # mostly plain, so that places and cells keep step for a while
        cells = [cell if pick.random() < 0.1 else b"ana@x.de" for cell in cells]
    check_column(
        cells, codec, data.draw(st.sampled_from(((b",",), (b"@", b".", b'"\xc3'), (b"",))))
    )


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["ana@" + "\u4f8b" * 22 + ".jp"], id="long-in-octets-short-in-letters"),
        pytest.param(["a@ x.de", "a@x.de"], id="space-behind-the-at-sign"),
        pytest.param(["A@ x..de", "a@x..de ", "a@X..de"], id="faulty-domain-behind-a-space"),
        pytest.param(
            ["\u0130@x..de", "i\u0307@x..de", "\u0130@x.de"], id="no-dot-atom-in-lower-case"
        ),
        pytest.param(
            ["\u023a" * 32 + "@x..de", "\u2c65" * 32 + "@x..de"], id="longer-in-lower-case"
        ),
        pytest.param(["@" + "x" * 5000], id="no-local-part-and-no-end"),
        pytest.param(["x" * 64 + "@" + f"{SQUARE}." * 13 + "de"], id="long-as-a-label"),
        pytest.param(["o'hara@" + "d" * 45 + ".de"], id="odd-letters-before-a-long-domain"),
        pytest.param(["a b" * 5 + "@" + f"{SQUARE}." * 13 + "de"], id="faulty-and-long-as-a-label"),
        pytest.param([f"a.@{domain}" for domain in _DOMAINS], id="faults-on-both-sides"),
        pytest.param([f"@{domain}" for domain in _DOMAINS], id="no-local-part"),
        pytest.param(
            [
                "0@.\u0301\u0301\u0301\u1e9e.\u0301"
                f"{letter}bro-hoa.\u0301\u1e9e\u1e9e\u0e01\U00010000"
                for letter in ("\u0958", "\u0915\u093c", "\ufb1d", "\u0344")
            ],
            id="longer-when-normalised",
        ),
        pytest.param(
            [
                form.format(letter)
                for letter in (*ODD_LETTERS, *USED)
                for form in ("{}@x.de", "a{}@x.de", "{}=.b@X..de", "a@{}b.de")
            ],
            id="every-odd-letter",
        ),
        pytest.param(
            [
                form.format(letter * size, "x" * size)
                for letter in "\u00d6\u00f6\u4f8b\uac00\u0416"
                for size in (20, 21, 22, 31, 32, 33, 50, 55, 59, 60, 63, 64)
                for form in ("{0}@x.de", "a@" + letter + "{1}.de", "a@{0}.jp")
            ],
            id="parts-at-their-limits",
        ),
    ],
)
def test_odd_values(texts: list[str]) -> None:
    check_column([text.encode() for text in texts], "utf-8")


MORE_LOCAL_PARTS = "a..b .a a. a.b.c.d a.b.c.d.e a+b+c info+x asdf Abc+x +info"


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["utf-8", "cp1252", "latin-1"])
def test_every_local_part_at_every_domain(codec: str) -> None:
    pieces = (*_LOCAL_PIECES, *MORE_LOCAL_PARTS.split())
    cells = [f"{piece}@{name}".encode(codec, "ignore") for piece in pieces for name in _DOMAINS]
    check_column(cells, codec)
    check_column(cells, codec, gaps=(b"",))


LETTERS = st.sampled_from([*ODD_LETTERS, *USED, "\u05d0", "\u0639", "\u0e01"]) | st.characters(
    exclude_categories=["Cs"]
)
PLAIN = ("a", "Z", "7", ".", "+", "-", "=", "info", "a.b.c.d.", "'")
LOCAL_PARTS = st.builds("".join, st.lists(LETTERS | st.sampled_from(PLAIN), max_size=6))
ENDS = ("\u00b7", "\u3002", "\uff0e", " ")
LABEL_PIECES = ("a", "b2", "-", "--", "xn--", "bro-hoa", "7", "_", *ENDS)
LABELS = st.builds("".join, st.lists(LETTERS | st.sampled_from(LABEL_PIECES), max_size=5))
TOPS = st.sampled_from(("de", "d", "de2", "test", "co.uk", "\u0440\u0444", "xn--p1ai", "")) | LABELS
ANY_DOMAINS = st.builds(lambda labels, top: ".".join([*labels, top]), st.lists(LABELS), TOPS)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.builds("{}@{}".format, LOCAL_PARTS, ANY_DOMAINS), max_size=20))
def test_any_letters(texts: list[str]) -> None:
    check_column([text.encode() for text in texts], "utf-8")
