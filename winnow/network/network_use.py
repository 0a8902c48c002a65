"""Counts of questions and answers of one look-up, and a list's notices about them."""

from dataclasses import dataclass

from winnow.core.lists.notices import DNS_SILENT, DNS_USE, REGISTRY_USE, Notice
from winnow.words import Sentence, translatable, translatable_many


@dataclass(slots=True)
class NetworkUse:
    """Domains of one look-up: asked for, of those without an answer, not asked, known before.

    ``beyond_count``: more domains than are asked for one list.
    """

    asked_count: int = 0
    unknown_count: int = 0
    unasked_count: int = 0
    beyond_count: int = 0
    remembered_count: int = 0

    @property
    def wanted_count(self) -> int:
        """How many domains an answer was wanted for."""
        return self.asked_count + self.unasked_count + self.remembered_count

    def describe_dns(self) -> Notice:
        """Return the counts of a look-up by DNS as a notice."""
        sent = translatable_many(
            self.asked_count,
            "Sent to the network: {count} domain to your resolver, no addresses.",
            "Sent to the network: {count} domains to your resolver, no addresses.",
        )
        return self._describe(DNS_USE, sent)

    def describe_registries(self) -> Notice:
        """Return the counts of a look-up by registries as a notice."""
        sent = translatable_many(
            self.asked_count,
            "Sent to the network: {count} domain to its registry, no addresses.",
            "Sent to the network: {count} domains to their registries, no addresses.",
        )
        return self._describe(REGISTRY_USE, sent)

    def _describe(self, code: str, sent: Sentence) -> Notice:
        answers = translatable(
            "Answered: {answered}; no answer: {unknown}; not asked: {unasked}; known from "
            "earlier: {remembered}.",
            answered=self.asked_count - self.unknown_count,
            unknown=self.unknown_count,
            unasked=self.unasked_count + self.beyond_count,
            remembered=self.remembered_count,
        )
        return Notice(code, Sentence.join((sent, answers)), count=self.asked_count)

    def describe_silence(self) -> tuple[Notice, ...]:
        """Return the notice that DNS knows nothing of most domains; none where it does."""
        wanted = self.wanted_count
        known = self.asked_count - self.unknown_count + self.remembered_count
        if 2 * known >= wanted:
            return ()
        text = translatable(
            "DNS was on but gave few answers, or none: for {known} of {wanted} domains. Those that "
            "do not exist or take no mail were not found: they are judged as if DNS were off. "
            "Check the connection of this machine, then clean the list again.",
            known=known,
            wanted=wanted,
        )
        return (Notice(DNS_SILENT, text, count=wanted - known),)
