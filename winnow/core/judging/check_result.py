"""Results of single checks, as services return them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Verdict


class CheckResult(NamedTuple):
    """One single check: the nine fields of the contract, and the evidence for them."""

    fields: Mapping[str, str | int]  # the nine, in the contract's order
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    suggestion: str | None
    data_version: str
    not_black: tuple[Evidence, ...] = ()  # checks that were not enough for black
    disposable_probability: float | None = None  # of the domain; see core.probability
    mail_reasons: tuple[Reason, ...] = ()  # by bounces and remembered noes

    @property
    def row_verdict(self) -> Verdict:
        """The verdict that a row of a list has: with what bounces and remembered noes say."""
        return replace(self.verdict, reasons=self.verdict.reasons + self.mail_reasons)


@dataclass(frozen=True, slots=True)
class RecentCheck:
    """A single check made on the page, kept on this machine until cleared."""

    check_id: int
    email: str
    verdict: Verdict
    checked_at: datetime
