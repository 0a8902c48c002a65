"""Email address: parsing, format validation, and the key that finds its duplicates.

A fast expression accepts plain addresses. email-validator checks all others, and its few gaps are
closed here. A test proves that both give the same answer where both accept.
"""

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import idna

from winnow.core.errors import AddressSyntaxError
from winnow.core.unicode_forms import TEXT_MAX_CHARACTERS, normalise_form
from winnow.core.verdicts.facts import LocalFlag, LocalWords
from winnow.core.verdicts.reasons import Reason

LOCAL_PART_MAX_OCTETS = 64  # RFC 5321, 4.5.3.1.1
DOMAIN_MAX_OCTETS = 253  # RFC 1035, 2.3.4: 255 octets on the wire
LABEL_MAX_OCTETS = 63  # RFC 1035, 2.3.4
ADDRESS_MAX_OCTETS = 254  # RFC 5321, 4.5.3.1.3 with erratum 1690
LOCAL_PART_MAX_DOTS = 3  # more than these may be a sign, but between names
LONE_PARTS_MIN = 6  # digits or lone letters between dots: a sign at every domain

_SURELY_RIGHT_DOMAIN = "a.de"  # short, so that only the local part can be at fault

SPECIAL_USE_TLDS = frozenset({"test", "local", "localhost", "invalid", "onion", "arpa"})  # RFC 6761
SPECIAL_USE_ENDING = rf"\.(?:{'|'.join(sorted(SPECIAL_USE_TLDS))})$"

FAST_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"  # RFC 5322, 3.2.3
_LABEL = (  # RFC 5890, 2.3.1: no hyphen at an end, nor at both places 3 and 4
    r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,2}[A-Za-z0-9]"
    r"|[A-Za-z0-9-](?:[A-Za-z0-9][A-Za-z0-9-]|-[A-Za-z0-9])[A-Za-z0-9-]{0,58}[A-Za-z0-9])?"
)

FAST_LOCAL_PART = rf"{FAST_ATOM}(?:\.{FAST_ATOM})*"
"""Accepts only: a dot-atom. It does not check the length. Runs in ``re`` and in Rust's regex."""

FAST_DOMAIN = rf"(?:{_LABEL}\.)+[A-Za-z]{{2,63}}"
"""Accepts only: letter-digit-hyphen labels that are not ``xn--``; no check of total length, TLD."""

_NAME = r"(?:[^\W\d_]{2,}|[^\W\d_]['-][^\W\d_]+)(?:['-][^\W\d_]+)*"  # no digit, no lone letter
NAMES = rf"{_NAME}(?:\.{_NAME})*"
"""Local parts of names only: ``maria.del.carmen.garcia.lopez``. Runs in both, as the next."""

_LONE = r"(?:[^.]+\.)*(?:\d+|[^\W\d_])"
LONE_PARTS = rf"(?:{_LONE}\.){{{LONE_PARTS_MIN - 1}}}{_LONE}(?:\..*)?"
"""Local parts with many digits and lone letters between dots: ``a.1.b.c.2.d``."""

_NAMES, _LONE_PARTS = re.compile(NAMES), re.compile(LONE_PARTS)
_FAST = re.compile(rf"({FAST_LOCAL_PART})@({FAST_DOMAIN})\Z")
_UNSEEN = (  # Unicode 16, Default_Ignorable_Code_Point; and U+2800, a cell of Braille without dots
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_LETTERS_BEYOND_ASCII = (  # RFC 6531, 3.3; \w: letters and numbers
    rf"(?:(?![{_UNSEEN}])[\w!#$%&'*+/=?^`{{|}}~-])+"
)
_DOT_ATOM = re.compile(rf"{_LETTERS_BEYOND_ASCII}(?:\.{_LETTERS_BEYOND_ASCII})*\Z")
_UNSEEN_CHARACTERS = re.compile(f"[{_UNSEEN}]+")
_TLD = re.compile(r"(?:[a-z]{2,63}|xn--[a-z0-9-]*[a-z0-9])\Z")
_A_LABEL = re.compile(r"(?:^|\.)xn--", re.IGNORECASE)
_BRACKETED = re.compile(
    r"(?:[^<>]*<([^<>]+)>|mailto:([^?]+)(?:\?.*)?)\s*\Z", re.IGNORECASE | re.DOTALL
)
_DOTS_BEYOND_ASCII = str.maketrans("\u3002\uff0e\uff61", "...")  # RFC 3490, 3.1: also dots


@dataclass(frozen=True, slots=True)
class EmailAddress:
    """A well-formed address: the local part keeps its case, the domain is a lower-case A-label."""

    local_part: str
    domain: str

    def __str__(self) -> str:
        return f"{self.local_part}@{self.domain}"

    @property
    def duplicate_key(self) -> str:
        """The text that its duplicates share."""
        return f"{self.local_part.lower()}@{self.domain}"


def normalise(text: str) -> str:
    """Return the text in NFC without outer white space, as it is checked and counted.

    A text that is too long for any address is only trimmed.
    """
    return normalise_form("NFC", text.strip())


def is_dot_atom(local_part: str) -> bool:
    """Return whether a local part in NFC is a dot-atom of letters of any script (RFC 6531, 3.3)."""
    return _DOT_ATOM.match(local_part) is not None


def parse_address(text: str) -> EmailAddress:
    """Split an address into its local part and its domain.

    Args:
        text: One address, e.g. ``"Ana@Example.COM"``; outer white space is dropped, NFC applied.

    Returns:
        The address; the local part keeps its case, which only the receiving host may interpret
        (RFC 5321, 2.4). Quoted local parts and international addresses are well-formed.

    Raises:
        AddressSyntaxError: With the Reason. A text of more than 998 characters is not parsed.
            Domain literals, comments, folding white space, one-letter and numeric top-level domains
            and special-use names are refused.
    """
    text = normalise(text)
    if len(text) > TEXT_MAX_CHARACTERS:
        raise AddressSyntaxError(Reason.ADDRESS_TOO_LONG if "@" in text else Reason.NO_AT_SIGN)
    fast = _FAST.match(text)
    if fast is not None:
        local_part, domain = fast[1], fast[2].lower()
        if (
            len(local_part) <= LOCAL_PART_MAX_OCTETS
            and len(text) <= ADDRESS_MAX_OCTETS
            and len(domain) <= DOMAIN_MAX_OCTETS
            and domain.rpartition(".")[2] not in SPECIAL_USE_TLDS
        ):
            return EmailAddress(local_part, domain)
    return _parse_slowly(text)


def find_address(text: str) -> EmailAddress | None:
    """Return the address that a text is, None where it is none; see ``parse_address``."""
    try:
        return parse_address(text)
    except AddressSyntaxError:
        return None


def _parse_slowly(text: str) -> EmailAddress:
    fault = _find_plain_fault(text)
    if fault is not None:
        raise AddressSyntaxError(fault)
    local_part, _, domain_text = text.rpartition("@")
    domain = _parse_domain(domain_text)
    if isinstance(domain, Reason):
        raise AddressSyntaxError(domain)
    local_octets = len(local_part.encode("utf-8", "surrogatepass"))
    if local_octets > LOCAL_PART_MAX_OCTETS:
        raise AddressSyntaxError(Reason.LOCAL_PART_TOO_LONG)
    domain_octets = max(len(domain), len(domain_text.encode("utf-8", "surrogatepass")))
    if local_octets + 1 + domain_octets > ADDRESS_MAX_OCTETS:
        raise AddressSyntaxError(Reason.ADDRESS_TOO_LONG)
    may_be_odd = '"' in local_part or not local_part.isascii()
    if not is_dot_atom(local_part) and not (
        may_be_odd and _is_accepted(f"{local_part}@{_SURELY_RIGHT_DOMAIN}")
    ):
        has_more = "@" in local_part and '"' not in local_part
        raise AddressSyntaxError(Reason.TWO_AT_SIGNS if has_more else Reason.LOCAL_PART_SYNTAX)
    return EmailAddress(local_part, domain)


@lru_cache(maxsize=65_536)
def _parse_domain(domain_text: str) -> str | Reason:
    """Return the domain as an A-label name, or what is wrong with it."""
    domain = to_a_label(domain_text)
    if domain is None:
        labels = domain_text.split(".")
        is_long = len(domain_text) > DOMAIN_MAX_OCTETS or max(map(len, labels)) > LABEL_MAX_OCTETS
        return Reason.DOMAIN_TOO_LONG if is_long else Reason.DOMAIN_SYNTAX
    if len(domain) > DOMAIN_MAX_OCTETS:
        return Reason.DOMAIN_TOO_LONG
    _, dot, tld = domain.rpartition(".")
    if not dot:
        return Reason.NO_TLD
    if tld in SPECIAL_USE_TLDS:
        return Reason.SPECIAL_USE_DOMAIN
    if not _TLD.match(tld):
        return Reason.TLD_NOT_USABLE
    if _needs_context_rules(domain) and not _is_accepted(f"a@{domain}"):
        return Reason.DOMAIN_SYNTAX
    return domain


def _needs_context_rules(domain: str) -> bool:
    """Return whether it has right-to-left letters or joiners (RFC 5892, A; RFC 5893)."""
    return "xn--" in domain and any(
        unicodedata.bidirectional(character) in {"R", "AL", "AN", "BN"}
        for label in domain.split(".")
        if label.startswith("xn--")
        for character in label[4:].encode("ascii").decode("punycode")
    )


def _is_accepted(text: str) -> bool:
    from email_validator import EmailNotValidError, validate_email  # 30 ms, and rarely asked

    try:
        validate_email(text, allow_quoted_local=True, strict=True, check_deliverability=False)
    except (EmailNotValidError, UnicodeError):
        return False
    return True


def _find_plain_fault(text: str) -> Reason | None:
    if not text:
        return Reason.EMPTY
    if _BRACKETED.match(text):
        return Reason.DISPLAY_NAME
    local_part, at_sign, domain = text.rpartition("@")
    if not at_sign:
        return Reason.NO_AT_SIGN
    if not local_part:
        return Reason.NO_LOCAL_PART
    if not domain:
        return Reason.NO_DOMAIN
    if domain.startswith("[") and domain.endswith("]"):
        return Reason.DOMAIN_LITERAL
    if has_unseen(text):
        return Reason.UNSEEN_CHARACTERS
    if not text.isprintable() and any(
        unicodedata.category(character) in {"Cc", "Cs", "Co", "Cn"} for character in text
    ):
        return Reason.NOT_TEXT
    if "." not in domain.translate(_DOTS_BEYOND_ASCII):
        return Reason.NO_TLD
    return None


def has_unseen(text: str) -> bool:
    """Return whether a text has invisible characters: zero-width ones, soft hyphens."""
    return not text.isascii() and _UNSEEN_CHARACTERS.search(text) is not None


def drop_unseen(text: str) -> str:
    """Return the text without invisible characters."""
    return _UNSEEN_CHARACTERS.sub("", text)


def to_a_label(domain_text: str) -> str | None:
    """Return a domain in lower-case A-label form (RFC 5891), or None if it is none."""
    if len(domain_text) > TEXT_MAX_CHARACTERS:
        return None
    domain_text = domain_text.translate(_DOTS_BEYOND_ASCII)
    if domain_text.isascii():
        lowered = domain_text.lower()
        if not lowered or any(not _is_ldh(label) for label in lowered.split(".")):
            return None
        if "xn--" not in lowered:
            return lowered
    try:
        if _A_LABEL.search(domain_text):  # an A-label must be the one its U-label gives
            domain_text = idna.decode(domain_text, uts46=True, std3_rules=True)
        encoded = idna.encode(domain_text, uts46=True, std3_rules=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError, IndexError):
        return None
    return encoded if all(_is_ldh(label) for label in encoded.split(".")) else None


def _is_ldh(label: str) -> bool:
    """Letters, digits, hyphens; no hyphen at an end, nor at 3 and 4 unless ``xn--`` (RFC 5890)."""
    return (
        0 < len(label) <= LABEL_MAX_OCTETS
        and label.replace("-", "a").isalnum()
        and label.isascii()
        and label[0] != "-"
        and label[-1] != "-"
        and (label[2:4] != "--" or label[:2] == "xn")
    )


def domain_as_given(text: str) -> str:
    """Return what the ``domain`` field shows for an address with no usable domain.

    The A-label form where there is one, else the text after the last at-sign, lower-cased;
    ``""`` without an at-sign.
    """
    _, at_sign, domain = normalise(text).rpartition("@")
    if not at_sign:
        return ""
    return to_a_label(domain) or domain.lower()


def unwrap(text: str) -> str | None:
    """Return the address inside ``Ana <ana@x.de>`` or ``mailto:ana@x.de``; None for other texts."""
    match = _BRACKETED.match(text)
    return None if match is None else str(match[1] or match[2])


def local_flags(local_part: str, local_words: LocalWords) -> LocalFlag:
    """Return the signs in a well-formed local part.

    More than three dots are none between names: ``maria.del.carmen.garcia.lopez``.
    A plus tag needs a character before the ``+``; a word is the text before it, lower-cased.
    Quoted local parts carry no plus tag.
    """
    flags = LocalFlag.NONE
    base = local_part
    plus = local_part.find("+")
    if plus > 0 and not local_part.startswith('"'):
        flags |= LocalFlag.PLUS_TAG
        base = local_part[:plus]
    if local_part.count(".") > LOCAL_PART_MAX_DOTS and not _NAMES.fullmatch(local_part):
        flags |= LocalFlag.MANY_DOTS
        if _LONE_PARTS.fullmatch(local_part):
            flags |= LocalFlag.LONE_PARTS
    word = local_words.get(base.lower(), LocalFlag.NONE)
    return flags | word if flags else word


def list_spellings(text: str) -> frozenset[str]:
    """Return how an address may be written, in lower case: composed or not, either domain form."""
    key = duplicate_key(text)
    local_part, _, domain = key.rpartition("@")
    domains = {domain, normalise(text).lower().rpartition("@")[2]}
    with suppress(idna.IDNAError):
        domains.add(idna.decode(domain))
    written = [f"{local_part}@{one}" for one in domains]
    return frozenset(normalise_form(form, one) for one in written for form in ("NFC", "NFD"))


def duplicate_key(text: str) -> str:
    """Return the text that duplicates share: NFC, trimmed, lower-case, domain as an A-label.

    Malformed values have a key space of their own, so that none is taken for an address.
    Blank text gives ``""``, which the batch never treats as a duplicate.
    """
    address = find_address(text)
    if address is None:
        lowered = normalise(text).lower()
        return f"\0{lowered}" if lowered else ""
    return address.duplicate_key
