"""A checked value, as the library returns it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category


@dataclass(frozen=True, slots=True)
class CheckedAddress:
    """The verdict on one value, and its evidence.

    Attributes:
        category: ``"white"``, ``"grey"`` or ``"black"``.
        domain_type: As in result files: ``"disposable"``, ``"free"``, ``"invalid"`` …
        reasons: Stable codes, the deciding one first.
        suggestion: A corrected address to offer, never to apply; None where there is none.
        is_role: Whether the local part names a function (``info``), not a person.
        domain: Lower-case A-label; None where the value is not an address.
    """

    category: Category
    domain_type: DomainType
    reasons: tuple[Reason, ...]
    suggestion: str | None
    is_role: bool
    domain: str | None
    _explain: Callable[[], tuple[Evidence, ...]] = field(repr=False, compare=False)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """For each reason the rule, and its list or answer with its date."""
        return self._explain()
