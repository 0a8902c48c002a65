"""Counts of questions and answers of one look-up, and a list's notices about them."""

from dataclasses import dataclass

from winnow.core.tasks.task import DNS_SILENT, DNS_USE, REGISTRY_USE, Notice
from winnow.words import Sentence, mark, mark_many


@dataclass(slots=True)
class MailUse:
    """Questions to the resolver. ``beyond_count``: more domains than are asked for one list."""

    asked_count: int = 0
    unknown_count: int = 0
    unasked_count: int = 0
    beyond_count: int = 0
    remembered_count: int = 0
    host_count: int = 0
    zone_count: int = 0

    def describe(self) -> Notice:
        """Return the counts as the text of a notice."""
        said = [
            mark_many(
                self.asked_count,
                "Sent to the network: {count} domain to your resolver, no addresses.",
                "Sent to the network: {count} domains to your resolver, no addresses.",
            )
        ]
        if self.asked_count:
            answered = self.asked_count - self.unknown_count
            said.append(
                mark(
                    "DNS answered for {answered}, not for {unknown}.",
                    answered=answered,
                    unknown=self.unknown_count,
                )
            )
        if self.unasked_count:
            said.append(
                mark_many(
                    self.unasked_count,
                    "{count} domain was not asked: no server answered that can be believed, or the "
                    "time was up.",
                    "{count} domains were not asked: no server answered that can be believed, or "
                    "the time was up.",
                )
            )
        if self.beyond_count:
            said.append(
                mark_many(
                    self.beyond_count,
                    "{count} domain was not asked: the list has more than are asked at once.",
                    "{count} domains were not asked: the list has more than are asked at once.",
                )
            )
        said += _describe_remembered(self.remembered_count)
        if self.host_count:
            said.append(
                mark_many(
                    self.host_count,
                    "{count} mail host was asked for as well.",
                    "{count} mail hosts were asked for as well.",
                )
            )
        if self.zone_count:
            said.append(
                mark_many(
                    self.zone_count,
                    "{count} domain was asked for its name servers, too.",
                    "{count} domains were asked for their name servers, too.",
                )
            )
        return Notice(DNS_USE, Sentence.join(said), count=self.asked_count)

    @property
    def wanted_count(self) -> int:
        """How many domains needed an answer."""
        return self.asked_count + self.unasked_count + self.remembered_count

    def describe_silence(self) -> Notice | None:
        """Return a notice that DNS knows nothing of most domains; None where it does."""
        wanted = self.wanted_count
        answered = self.asked_count - self.unknown_count + self.remembered_count
        if 2 * answered >= wanted:
            return None
        text = mark_many(
            wanted,
            "DNS was on but gave no answer: {count} domain was asked for.",
            "DNS was on but gave no answer: {count} domains were asked for.",
        )
        if answered:
            text = mark(
                "DNS was on but gave few answers: for {answered} of {wanted}.",
                answered=answered,
                wanted=wanted,
            )
        hint = mark(
            "Those that do not exist or take no mail were not found: they are judged as if DNS "
            "were off. Check the connection of this machine, then clean the list again."
        )
        return Notice(DNS_SILENT, Sentence.join((text, hint)), count=wanted - answered)


@dataclass(slots=True)
class AgeUse:
    """Counts of questions to registries."""

    asked_count: int = 0
    known_count: int = 0
    unknown_count: int = 0
    unasked_count: int = 0
    remembered_count: int = 0

    @property
    def wanted_count(self) -> int:
        """How many domains an answer was wanted for."""
        return self.asked_count + self.unasked_count + self.remembered_count

    @property
    def is_silent(self) -> bool:
        """Whether no registry answered for any of them."""
        return 0 < self.wanted_count == self.unknown_count + self.unasked_count

    def describe(self) -> Notice:
        """Return the counts as the text of a notice."""
        said = [
            mark_many(
                self.asked_count,
                "Sent to the network: {count} domain to its registry, no addresses.",
                "Sent to the network: {count} domains to their registries, no addresses.",
            )
        ]
        if self.asked_count:
            said.append(
                mark(
                    "They gave a date for {known}, no answer for {unknown}.",
                    known=self.known_count,
                    unknown=self.unknown_count,
                )
            )
        if self.unasked_count:
            said.append(
                mark(
                    "Not asked for: {unasked}, as the time was up or their registry "
                    "could not be asked.",
                    unasked=self.unasked_count,
                )
            )
        said += _describe_remembered(self.remembered_count)
        return Notice(REGISTRY_USE, Sentence.join(said), count=self.asked_count)


def _describe_remembered(count: int) -> list[Sentence]:
    if not count:
        return []
    return [
        mark_many(
            count,
            "{count} domain was remembered from earlier.",
            "{count} domains were remembered from earlier.",
        )
    ]
