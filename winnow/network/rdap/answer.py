"""Parsing of RDAP answers about a domain's age (RFC 9083), with plausibility checks."""

import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from winnow.core.verdicts.facts import AgeAnswer, AgeState
from winnow.network.web import BadAnswer

FIRST_DOMAINS = datetime(1983, 1, 1, tzinfo=UTC)  # RFC 881-883: no name is older
MOST_EVENTS = 1_000
MOST_WAIT_SECONDS = 86_400.0
DEFAULT_WAIT_SECONDS = 60.0


def read_age(body: bytes, domain: str, now: datetime) -> AgeAnswer:
    """Read when a domain was registered.

    Args:
        body: The answer to the question for ``domain``.
        domain: A lower-case A-label name.
        now: UTC; a later date is not believed.

    Raises:
        BadAnswer: No JSON, no domain object, another domain's, or a date that cannot be.
    """
    try:
        content = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadAnswer("it is no JSON") from error
    if not isinstance(content, dict) or content.get("objectClassName") != "domain":
        raise BadAnswer("it is no domain object")
    name = content.get("ldhName")
    if not isinstance(name, str) or name.lower().removesuffix(".") != domain:
        raise BadAnswer("it is about another domain")
    events = content.get("events", [])
    if not isinstance(events, list) or len(events) > MOST_EVENTS:
        raise BadAnswer("its events are of another form")
    dates = [
        _read_date(event.get("eventDate"), now)
        for event in events
        if isinstance(event, dict) and event.get("eventAction") == "registration"
    ]
    if not dates:
        return AgeAnswer(AgeState.NOT_SAID)
    return AgeAnswer(AgeState.KNOWN, min(dates))


def read_wait(retry_after: str | None, now: datetime) -> float:
    """Return the pause in seconds that a server asks for (RFC 9110, 10.2.3)."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return min(float(text), MOST_WAIT_SECONDS)
    try:
        until = parsedate_to_datetime(text)
        seconds = (until.replace(tzinfo=until.tzinfo or UTC) - now).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return DEFAULT_WAIT_SECONDS
    return max(0.0, min(seconds, MOST_WAIT_SECONDS))


def _read_date(text: object, now: datetime) -> datetime:
    """Read a date-time with its time zone (RFC 3339), none before there were domains."""
    try:
        moment = datetime.fromisoformat(text if isinstance(text, str) else "")
        if moment.tzinfo is None:
            raise BadAnswer("its date has no time zone")
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadAnswer("its date cannot be read") from error
    if not FIRST_DOMAINS <= moment <= now:
        raise BadAnswer("its date cannot be")
    return moment
