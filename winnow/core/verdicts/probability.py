"""Probability that a domain is disposable, by offline facts; it decides nothing.

A domain belongs to one of a few groups; the share of disposable domains in each was measured once
(``python -m benchmarks.calibration``) and is in a data file.
"""

from winnow.core.verdicts.facts import DomainFacts, Weight
from winnow.core.verdicts.policy import has_known_kind, list_offline_signs
from winnow.core.verdicts.reasons import OWN_REASONS, Reason
from winnow.core.verdicts.verdict import Verdict

KNOWN = "known"  # its kind is known, and it is on no disposable list
FAMILIES_DISTINGUISHED = 2  # so many and more are one group
SIGNS = ("none", "weak", "strong")
GROUPS = (
    KNOWN,
    *(f"{count} {sign}" for count in range(FAMILIES_DISTINGUISHED + 1) for sign in SIGNS),
)
"""Number of families of lists that name the domain, then the signs of the name."""

_STRONG = frozenset({Reason.DISPOSABLE_WORD, Reason.SUBDOMAIN_HOST})
_UNTOLD = OWN_REASONS | {
    Reason.SANDBOX,
    Reason.DISPOSABLE_MX,
    Reason.DISPOSABLE_NEIGHBOURS,
}


def find_group(facts: DomainFacts) -> str:
    """Return the one of ``GROUPS`` that a domain belongs to.

    A disposable word, a host of free subdomains or any two signs are strong; a risky suffix or a
    machine-made name alone is weak.
    """
    if not facts.listings and has_known_kind(facts):
        return KNOWN
    signs = list_offline_signs(facts)
    is_strong = len(signs) > 1 or not _STRONG.isdisjoint(signs)
    counted = (one for one in facts.listings if signs or one.weight > Weight.HINT)
    families = min(len({found.family for found in counted}), FAMILIES_DISTINGUISHED)
    return f"{families} {SIGNS[2 if is_strong else len(signs)]}"


def find_measured_group(verdict: Verdict, facts: DomainFacts | None) -> str | None:
    """Return the group whose probability is a domain's, None where that is not known.

    It is not known for a malformed address, the sandbox, a decision of the own lists, a public
    suffix, and a mail host of disposable services found by DNS, which was not measured.

    Args:
        verdict: Of an address at the domain.
        facts: Of the domain; None for a malformed address.
    """
    if facts is None or facts.registrable is None or not _UNTOLD.isdisjoint(verdict.reasons):
        return None
    return find_group(facts)
