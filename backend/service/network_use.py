"""What one look-up sent out and what came of it, in the words of a list's notes."""

from dataclasses import dataclass

from backend.core.tasks import Notice


@dataclass(slots=True)
class MailUse:
    """What went to the resolver."""

    asked_count: int = 0
    unknown_count: int = 0
    unasked_count: int = 0
    remembered_count: int = 0
    host_count: int = 0

    def describe(self) -> Notice:
        """Say it in the words of a notice."""
        domains = "1 domain" if self.asked_count == 1 else f"{self.asked_count:,} domains"
        text = f"Sent to the network: {domains} to your resolver, no addresses."
        if self.asked_count:
            answered = self.asked_count - self.unknown_count
            text += f" DNS answered for {answered:,}, not for {self.unknown_count:,}."
        if self.unasked_count:
            text += (
                f" {self.unasked_count:,} were not asked: no server answered that can be believed, "
                "the time was up, or they are too many."
            )
        if self.remembered_count:
            more = "more" if self.asked_count else "domains"
            text += f" {self.remembered_count:,} {more} were remembered from earlier."
        if self.host_count:
            text += f" {self.host_count:,} mail hosts were asked for as well."
        return Notice("network_use", text, count=self.asked_count)


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
        domains = "1 domain" if self.asked_count == 1 else f"{self.asked_count:,} domains"
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
        if self.remembered_count:
            more = "more" if self.asked_count else "domains"
            text += f" {self.remembered_count:,} {more} were remembered from earlier."
        return Notice("registry_use", text, count=self.asked_count)
