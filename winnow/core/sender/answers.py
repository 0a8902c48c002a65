"""What DNS said of a sending domain, before anything is judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from winnow.core.verdicts.facts import HostAnswer, MailAnswer


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """The text records of one name; ``texts`` is None where no usable answer came.

    A record of several strings is one text here, as RFC 7208, 3.3 and RFC 6376, 3.6.2.2 read it.
    """

    texts: tuple[str, ...] | None
    exists: bool = True  # False: there is no such name (rcode 3)


NO_TEXT_ANSWER = TextAnswer(None)


@dataclass(frozen=True, slots=True)
class SenderFacts:
    """Everything that was asked for one domain; a name that is missing was not asked for.

    Args:
        domain: A lower-case A-label.
        organisation: Its registrable domain, or itself where none is known.
        asked_at: In UTC.
        mail: MX of the domain and of the names in its SPF record.
        hosts: Addresses of mail hosts and of names in its SPF record.
        texts: Text records by the name asked for.
        given: DKIM selectors that the person named.
        known: DKIM selectors of mail platforms, each with whose it is.
    """

    domain: str
    organisation: str
    asked_at: datetime
    mail: Mapping[str, MailAnswer] = field(default_factory=dict)
    hosts: Mapping[str, HostAnswer] = field(default_factory=dict)
    texts: Mapping[str, TextAnswer] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    known: Mapping[str, str] = field(default_factory=dict)
