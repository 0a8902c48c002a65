"""Repair of malformed and misspelt addresses: the likely address, and what was wrong.

Suggestions for single values and repairs of lists use the same code. ``find_repair`` removes the
text around an address and corrects how it is written, but never changes the domain.
``propose_repair`` also replaces a misspelt domain by the likely one.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from winnow.core.addresses.address import EmailAddress, drop_unseen, find_address, normalise, unwrap
from winnow.core.addresses.pasted import split_pasted
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.unicode_forms import FORMULA_SIGNS, TEXT_MAX_CHARACTERS, normalise_form
from winnow.core.verdicts.facts import DomainFacts
from winnow.core.verdicts.reasons import Origin, Reason

CORRECTABLE = frozenset(
    {
        *(reason for reason in Reason if reason.origin is Origin.FORMAT),
        Reason.CLOSE_MISSPELLING,
        Reason.CONFUSABLE_SCRIPT,
    }
) - {Reason.EMPTY}
"""The deciding reasons of values that an address may be suggested for."""

FindFacts = Callable[[str], DomainFacts]

GLUED_DOMAIN_MAX_LETTERS = 24  # the longest provider's name with its suffix is shorter

_APOSTROPHE = "'"
_QUOTES = "'\"`\u00b4\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a"
_FRAMES = f"\t\r\n;:()[]{{}}<>|{_QUOTES}"
_OUTER_MARKS = f" .,{_FRAMES}"
_WRAPPINGS_MOST = 3  # <mailto:ana@x.de> has two
_LABEL = re.compile(r"\A\s*(?:e-?mail|smtp)\s*:\s*", re.IGNORECASE)  # Exchange: SMTP:ana@x.de
_LINK = re.compile(r"\A[^#]*#(mailto:[^#]+)#[^@]*\Z", re.IGNORECASE)  # Access: text#address#
_COMMENT = re.compile(r"\s*\([^()@]*\)\Z")  # RFC 5322, 3.2.2, behind an address
_SEPARATORS = re.compile(r"[;,|/\s]+")
_DOTS = re.compile(r"[.,]+")
_DOUBLED_DOTS = re.compile(r"\.{2,}")
_BLANKS_AT_DOT = re.compile(r"(?:(?<!\s)\s++)?([.,])\s*")  # from the first blank on: linear
_FULL_WIDTH = re.compile("[\u3000-\u3002\uff01-\uff65\uffe0-\uffee]")
SPELT_AT_SIGN = r"[(\[{]\s*at\s*[)\]}]"  # a(at)x.de
_AT_SIGNS = re.compile(rf"@(?:\s*@)+|\s*{SPELT_AT_SIGN}\s*", re.IGNORECASE)  # and a@@x.de
_SPELT_DOT = re.compile(r"\s*[(\[{]\s*(?:dot|punkt|punto|point)\s*[)\]}]\s*", re.IGNORECASE)
_SEMICOLON_FOR_DOT = re.compile(r"([\w-]+);([a-z]{2,})", re.IGNORECASE)  # the whole domain
_NO_BREAK_BLANKS = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")

_ORDER = {kind: place for place, kind in enumerate(RepairKind)}


@dataclass(frozen=True, slots=True)
class Repair:
    """A well-formed address that replaces a value, and the most doubtful repair in it."""

    new: str
    kind: RepairKind


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed repair in two parts: of the value, and of its domain.

    ``repair`` corrects the value, None where it needs none. ``domain`` is the canonical domain
    after that, and ``target`` the likely one, None where the domain is right. ``domain_kind`` says
    what is wrong with it.
    """

    new: str
    repair: Repair | None
    domain: str
    target: str | None = None
    domain_kind: RepairKind | None = None

    @property
    def kind(self) -> RepairKind:
        """The most doubtful of the repairs."""
        mended = self.repair.kind if self.repair is not None else None
        return self.domain_kind or mended or RepairKind.MISSPELT


def find_repair(text: str) -> Repair | None:
    """Return the address in a malformed value; None: it has none, or nothing is wrong.

    It corrects invisible characters, text around an address (``Ana <ana@x.de>``, ``mailto:``,
    quotes, an apostrophe that Excel left), blanks, commas and doubled dots, full-width letters; of
    several addresses it takes the first. The domain does not change.
    """
    return _find_repair(normalise(text), find_address(text))


def _find_repair(text: str, address: EmailAddress | None) -> Repair | None:
    """Do the same for a text in its normal form that was parsed already."""
    may_hold_one = "@" in text or not text.isascii() or _AT_SIGNS.search(text) is not None
    if len(text) > TEXT_MAX_CHARACTERS or not may_hold_one:
        return None
    found = None
    if address is None:
        found = _mend(text)
        several = [] if found is not None else find_several(text)
        if len(several) > 1:
            is_same = len({one.lower() for one in several}) == 1  # then nothing is left out
            found = Repair(several[0], RepairKind.WRAPPED if is_same else RepairKind.SEVERAL)
    elif text.startswith(_APOSTROPHE):
        address = find_address(text.lstrip(_APOSTROPHE))
        found = None if address is None else Repair(str(address), RepairKind.APOSTROPHE)
    if found is not None and found.new[0] in FORMULA_SIGNS:
        return None  # text before it may keep a spreadsheet from taking it for a formula
    return found


def propose_repair(text: str, find_facts: FindFacts) -> Proposal | None:
    """Return the proposed repair of a value, or None where nothing is wrong with it.

    Args:
        text: One value, well-formed or not.
        find_facts: Returns what is known offline of a lower-case A-label name.
    """
    address = find_address(text)
    repair = _find_repair(normalise(text), address)
    if repair is not None:
        address = find_address(repair.new)
    if address is None:
        return _propose_dot(text, find_facts)
    target = find_target(find_facts(address.domain))
    if target is None:
        return None if repair is None else Proposal(repair.new, repair, address.domain)
    new = f"{address.local_part}@{target}"
    return Proposal(new, repair, address.domain, target, RepairKind.MISSPELT)


def suggest_address(
    text: str, find_facts: FindFacts, facts: DomainFacts | None = None
) -> str | None:
    """Return the address to suggest for a value; of a value with several, all of them.

    None: There is nothing to suggest. ``facts`` are those of the domain of a well-formed address,
    if they are known already.
    """
    if facts is not None and find_target(facts) is None and _APOSTROPHE not in text:
        return None
    proposal = propose_repair(text, find_facts)
    if proposal is None or proposal.repair is None:
        return None if proposal is None else proposal.new
    several = proposal.repair.kind is RepairKind.SEVERAL
    return ", ".join(find_several(normalise(text))) if several else proposal.new


def find_target(facts: DomainFacts) -> str | None:
    """Return the domain that a misspelt one probably means, None where it is right."""
    return facts.imitates or facts.misspells


def take_apart(text: str) -> tuple[str, str] | None:
    """Split a value into its local part and the domain that decides on its repair.

    The domain of a well-formed address is the canonical one. A domain without a dot, or with an
    ending of one letter, is in lower case, after repair of the value where needed. None for any
    other value.
    """
    address = find_address(text)
    if address is not None:
        return address.local_part, address.domain
    parts = _mend_parts(normalise(text), set())
    if parts is None or not parts[1]:
        return None
    *labels, ending = parts[1].split(".")
    if labels and len(ending) > 1:
        return None
    is_whole = find_address(f"{parts[0]}@a.de") is not None
    return (parts[0], parts[1].lower()) if is_whole else None


def _mend(text: str) -> Repair | None:
    """Return the one address of a malformed value in NFC."""
    kinds: set[RepairKind] = set()
    parts = _mend_parts(text, kinds)
    address = None if parts is None else find_address("@".join(parts))
    if address is None:
        return None
    return Repair(str(address), max(kinds, key=_ORDER.__getitem__, default=RepairKind.WRAPPED))


def _mend_parts(text: str, kinds: set[RepairKind]) -> tuple[str, str] | None:
    """Return the corrected texts before and after the one at-sign of a value in NFC."""
    if len(text) > TEXT_MAX_CHARACTERS:
        return None
    text = _take_out(_write_at_sign(_write_plainly(text, kinds), kinds), kinds)
    local_part, at_sign, domain = text.rpartition("@")
    if not at_sign or "@" in local_part:
        return None
    return _mend_local_part(local_part, kinds), _mend_domain(domain, kinds)


def _write_plainly(text: str, kinds: set[RepairKind]) -> str:
    """Drop invisible characters; write letters, signs and blanks of other forms as plain ones."""
    seen = drop_unseen(text)
    if seen != text:
        kinds.add(RepairKind.UNSEEN)
    seen = _NO_BREAK_BLANKS.sub(" ", seen)
    plain = normalise_form("NFKC", seen)
    if plain != seen:
        others = _FULL_WIDTH.sub("", seen)
        is_full_width = normalise_form("NFKC", others) == others
        kinds.add(RepairKind.FULL_WIDTH if is_full_width else RepairKind.LETTERS)
    return plain.replace("\u3002", ".")  # RFC 3490, 3.1


def _write_at_sign(text: str, kinds: set[RepairKind]) -> str:
    """Write the one at-sign that is doubled or spelt out, and dots that are spelt out."""
    found = _AT_SIGNS.findall(text)
    if len(found) != 1 or text.replace(found[0], "").count("@"):
        return text
    kinds.add(RepairKind.AT_SIGN)
    return _SPELT_DOT.sub(".", _AT_SIGNS.sub("@", text))


def _take_out(text: str, kinds: set[RepairKind]) -> str:
    """Take an address out of the text around it."""
    bare = _LABEL.sub("", text)
    for _ in range(_WRAPPINGS_MOST):
        link = _LINK.match(bare)
        inner = unwrap(bare) if link is None else link[1]
        if inner is None:
            break
        outside = bare.replace(inner, "", 1)
        if "@" in outside and (unwrap(inner) or inner).strip().lower() not in outside.lower():
            kinds.add(RepairKind.SEVERAL)
        bare = inner
    bare = _COMMENT.sub("", bare)
    if bare != text:
        kinds.add(RepairKind.WRAPPED)
    stripped = bare.lstrip(_OUTER_MARKS)
    front = bare[: len(bare) - len(stripped)]
    whole = stripped.rstrip(_OUTER_MARKS)
    back = stripped[len(whole) :]
    if "." in front:
        kinds.add(RepairKind.LOCAL_BLANKS)
    if "." in back or "," in back:
        kinds.add(RepairKind.DOTS)
    if any(mark in _FRAMES for mark in front + back) or "," in front:
        kinds.add(RepairKind.WRAPPED)
    return whole


def _mend_local_part(text: str, kinds: set[RepairKind]) -> str:
    bare = text.rstrip()
    if bare != text:
        kinds.add(RepairKind.BLANKS)
    joined = _DOUBLED_DOTS.sub(".", _BLANKS_AT_DOT.sub(r"\1", bare)).rstrip(".")
    if joined != bare:
        kinds.add(RepairKind.LOCAL_BLANKS)
    return joined


def _mend_domain(text: str, kinds: set[RepairKind]) -> str:
    bare = text.lstrip()
    if bare != text:
        kinds.add(RepairKind.BLANKS)
    joined = _BLANKS_AT_DOT.sub(r"\1", bare)
    if joined != bare:
        # "gmail. com" is one name; behind a whole one, as in "x.de. Tel", begins something else
        is_one_name = not re.search(r"[.,].*[.,]\s", bare) and "," not in bare
        kinds.add(RepairKind.BLANKS if is_one_name else RepairKind.COMMAS)
    if _SEMICOLON_FOR_DOT.fullmatch(joined):
        joined = joined.replace(";", ",")
    if "," in joined:
        kinds.add(RepairKind.COMMAS if "." in joined else RepairKind.DOTS)
    mended = _DOTS.sub(".", joined).strip(".")
    if mended != joined:
        kinds.add(RepairKind.DOTS)
    return mended


def find_several(text: str) -> list[str]:
    """Return the addresses of a value that holds nothing but several; else none."""
    text = _write_plainly(text, set())
    if text.count("@") < 2:
        return []
    parts = split_pasted(text)
    if len(parts) < 2:
        parts = [part for part in _SEPARATORS.split(text) if part]
    found = []
    for part in parts:
        address = find_address(part)
        mended = _mend(part) if address is None else Repair(str(address), RepairKind.WRAPPED)
        if mended is None:
            return []
        found.append(mended.new)
    return found


def _propose_dot(text: str, find_facts: FindFacts) -> Proposal | None:
    """Propose a provider's domain for ``gmailcom``, ``gmail-com`` and ``t-online.d``."""
    parts = take_apart(text)
    if parts is None:
        return None
    local_part, domain = parts
    if len(domain) > GLUED_DOMAIN_MAX_LETTERS:
        return None
    if "." in domain:
        target = find_target(find_facts(domain))
        if target is None:
            return None
        return Proposal(f"{local_part}@{target}", None, domain, target, RepairKind.MISSPELT)
    for place in range(len(domain) - 2, 1, -1):
        address = find_address(f"{local_part}@{domain[:place].rstrip('-')}.{domain[place:]}")
        if address is not None and find_facts(address.domain).free is not None:
            target = find_target(find_facts(address.domain)) or address.domain
            new = f"{local_part}@{target}"
            return Proposal(new, None, domain, target, RepairKind.LOST_DOT)
    return None
