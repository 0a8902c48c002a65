"""DMARC records (RFC 7489, and RFC 9989 that takes its place)."""

from dataclasses import dataclass, field

from winnow.core.sender.answers import TextAnswer
from winnow.core.sender.dkim import parse_tags

VERSION = "v=DMARC1"
POLICIES = ("none", "quarantine", "reject")
_ALIGNMENTS = {"r", "s"}


@dataclass(frozen=True, slots=True)
class DmarcRecord:
    """One record; ``faults`` are the tags whose values no receiver can read."""

    text: str
    policy: str = ""  # "" where none is said: it counts as "none" (RFC 9989, 4.7)
    subdomain_policy: str = ""
    reports: tuple[str, ...] = ()  # addresses of aggregate reports
    percent: int = 100  # RFC 7489, 6.3; RFC 9989 does away with it
    is_testing: bool = False  # t=y (RFC 9989, 4.7)
    dkim_alignment: str = "r"
    spf_alignment: str = "r"
    faults: tuple[str, ...] = ()
    tags: dict[str, str] = field(default_factory=dict)


def is_dmarc(text: str) -> bool:
    """Tell whether a text record is a DMARC record: the version first, letter by letter."""
    name, _, rest = text.partition("=")
    version = rest.partition(";")[0]
    return name.strip() == "v" and version.strip() == "DMARC1"


def find_dmarc(answer: TextAnswer) -> tuple[str, ...]:
    """Return the DMARC records among a name's text records."""
    return tuple(text for text in answer.texts or () if is_dmarc(text))


def parse_dmarc(text: str) -> DmarcRecord:
    """Parse a record that ``is_dmarc``; never raises."""
    tags = parse_tags(text)
    if tags is None:
        return DmarcRecord(text, faults=(text,))
    faults = []
    policies = {}
    for name in ("p", "sp"):
        value = tags.get(name, "").lower()
        if value and value not in POLICIES:
            faults.append(f"{name}={tags[name]}")
        policies[name] = value if value in POLICIES else ""
    alignments = {}
    for name in ("adkim", "aspf"):
        value = tags.get(name, "r").lower()
        if value not in _ALIGNMENTS:
            faults.append(f"{name}={tags[name]}")
        alignments[name] = value if value in _ALIGNMENTS else "r"
    percent = tags.get("pct", "100")
    if not (percent.isascii() and percent.isdigit() and int(percent[:4]) <= 100):
        faults.append(f"pct={percent}")
        percent = "100"
    reports = []
    for one in filter(None, (part.strip() for part in tags.get("rua", "").split(","))):
        scheme, _, address = one.partition(":")
        if scheme.lower() != "mailto" or "@" not in address:
            faults.append(f"rua={one}")
        else:
            reports.append(address.partition("!")[0])
    return DmarcRecord(
        text,
        policies["p"],
        policies["sp"],
        tuple(reports),
        int(percent),
        tags.get("t", "n").lower() == "y",
        alignments["adkim"],
        alignments["aspf"],
        tuple(faults),
        tags,
    )
