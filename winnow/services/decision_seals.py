"""Seals of decision pages: only this installation can have made one, and only for this page."""

import hashlib
import hmac
from dataclasses import dataclass

from winnow.services.tokens import derive_key


@dataclass(frozen=True, slots=True)
class Seal:
    """What stands at the end of a page.

    ``sealed_by`` names the installation; ``facts`` and ``page`` are keyed hashes of the canonical
    facts, and of the whole page without its seal.
    """

    sealed_by: str
    facts: str
    page: str


class DecisionSeals:
    """Makes and checks seals with a key that never leaves the data folder. Thread-safe."""

    def __init__(self, pepper: bytes) -> None:
        self._key = derive_key(pepper, "decision-page")
        self._name = self._sign("installation", "")[:16]

    def make(self, facts: str, page: str) -> Seal:
        """Seal a page.

        Args:
            facts: The canonical text of its facts.
            page: The whole page without a seal.
        """
        return Seal(self._name, self._sign("facts", facts), self._sign("page", page))

    def is_ours(self, seal: Seal) -> bool:
        """Tell whether a seal says that it is of this installation."""
        return hmac.compare_digest(seal.sealed_by.encode(), self._name.encode())

    def holds_facts(self, seal: Seal, facts: str) -> bool:
        """Tell whether these facts were sealed here."""
        return _is_same(seal.facts, self._sign("facts", facts))

    def holds_page(self, seal: Seal, page: str) -> bool:
        """Tell whether this very page was sealed here."""
        return _is_same(seal.page, self._sign("page", page))

    def _sign(self, part: str, text: str) -> str:
        return hmac.digest(self._key, f"{part}\0{text}".encode(), hashlib.sha256).hex()


def _is_same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
