"""What came of looking at a sending domain: findings, each with the record that mends it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Area(StrEnum):
    """The four things that are looked at."""

    MX = "mx"
    SPF = "spf"
    DKIM = "dkim"
    DMARC = "dmarc"


class Level(StrEnum):
    """How a finding weighs. What DNS did not answer is unknown, never missing."""

    PROBLEM = "problem"
    UNKNOWN = "unknown"
    ADVICE = "advice"
    GOOD = "good"


WORST_FIRST = tuple(Level)


@dataclass(frozen=True, slots=True)
class DnsRecord:
    """One record as it stands, or as it is to be set."""

    kind: str  # "TXT" or "MX"
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: what is so, how to mend it, and the exact record to set where one can be said.

    ``code`` is stable; ``said`` and ``mend`` are sentences. A record mends everything that can be
    mended with it: findings of one record have the same one.
    """

    level: Level
    code: str
    said: str
    mend: str = ""
    record: DnsRecord | None = None


@dataclass(frozen=True, slots=True)
class AreaReport:
    """One of the four: the records that are set, and what is to be said of them."""

    area: Area
    records: tuple[DnsRecord, ...]
    findings: tuple[Finding, ...]

    @property
    def level(self) -> Level:
        """The worst of its findings."""
        levels = {finding.level for finding in self.findings}
        return next((level for level in WORST_FIRST if level in levels), Level.GOOD)


@dataclass(frozen=True, slots=True)
class SenderReport:
    """A sending domain, judged. ``asked_at`` is UTC."""

    domain: str
    asked_at: datetime
    areas: tuple[AreaReport, ...]

    @property
    def level(self) -> Level:
        """The worst of its areas."""
        levels = {area.level for area in self.areas}
        return next(level for level in WORST_FIRST if level in levels)

    def count(self, level: Level) -> int:
        """Return how many findings weigh so."""
        return sum(finding.level is level for area in self.areas for finding in area.findings)
