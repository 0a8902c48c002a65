"""What one look-up sent out and what came of it, in the words of a list's notes."""

from dataclasses import dataclass

from winnow.core.figures import count_doing, count_things
from winnow.core.tasks.task import DNS_SILENT, DNS_USE, REGISTRY_USE, Notice


@dataclass(slots=True)
class MailUse:
    """What went to the resolver. ``beyond_count``: more domains than are asked for one list."""

    asked_count: int = 0
    unknown_count: int = 0
    unasked_count: int = 0
    beyond_count: int = 0
    remembered_count: int = 0
    host_count: int = 0
    surrounding_count: int = 0

    def describe(self) -> Notice:
        """Say it in the words of a notice."""
        domains = count_things(self.asked_count, "domain")
        text = f"Sent to the network: {domains} to your resolver, no addresses."
        if self.asked_count:
            answered = self.asked_count - self.unknown_count
            text += f" DNS answered for {answered:,}, not for {self.unknown_count:,}."
        if self.unasked_count:
            text += (
                f" {count_doing(self.unasked_count, 'domain', 'was', 'were')} not asked: no server "
                "answered that can be believed, or the time was up."
            )
        if self.beyond_count:
            text += (
                f" {count_doing(self.beyond_count, 'domain', 'was', 'were')} not asked: the list "
                "has more than are asked at once."
            )
        text += _describe_remembered(self.remembered_count)
        if self.host_count:
            hosts = count_doing(self.host_count, "mail host", "was", "were")
            text += f" {hosts} asked for as well."
        if self.surrounding_count:
            some = count_doing(self.surrounding_count, "domain", "was", "were")
            text += f" {some} asked for name servers and web addresses, too."
        return Notice(DNS_USE, text, count=self.asked_count)

    def describe_silence(self) -> Notice | None:
        """Say that DNS knows nothing of most domains it was asked for; None where it does."""
        wanted = self.asked_count + self.unasked_count + self.remembered_count
        answered = self.asked_count - self.unknown_count + self.remembered_count
        if 2 * answered >= wanted:
            return None
        asked = count_doing(wanted, "domain", "was", "were")
        text = f"DNS was on but gave no answer: {asked} asked for in vain."
        if answered:
            domains = count_things(wanted, "domain")
            text = f"DNS was on but answered for only {answered:,} of {domains}."
        text += (
            " Those that do not exist or take no mail were not found: they are judged as if DNS "
            "were off. Check the connection of this machine, then clean the list again."
        )
        return Notice(DNS_SILENT, text, count=wanted - answered)


@dataclass(slots=True)
class AgeUse:
    """What went to registries."""

    asked_count: int = 0
    known_count: int = 0
    unknown_count: int = 0
    unasked_count: int = 0
    remembered_count: int = 0

    def describe(self) -> Notice:
        """Say it in the words of a notice."""
        domains = count_things(self.asked_count, "domain")
        text = f"Sent to the network: {domains} to their registries, no addresses."
        if self.asked_count:
            text += (
                f" They gave a date for {self.known_count:,}, no answer for {self.unknown_count:,}."
            )
        if self.unasked_count:
            text += (
                f" Not asked for: {self.unasked_count:,}, as the time was up or their registry "
                "could not be asked."
            )
        text += _describe_remembered(self.remembered_count)
        return Notice(REGISTRY_USE, text, count=self.asked_count)


def _describe_remembered(count: int) -> str:
    domains = count_doing(count, "domain", "was", "were")
    return f" {domains} remembered from earlier." if count else ""
