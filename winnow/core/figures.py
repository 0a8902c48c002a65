"""Numbers formatted for people: thousands, shares, sizes, times."""

from datetime import date, datetime, timedelta

from winnow.words import format_day, format_decimal, format_number, say, say_many

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_SECONDS_PER_HOUR = 3600


def show_count(number: int) -> str:
    """Return a number with thousands separators: ``"41,977"``."""
    return format_number(number)


def count_things(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: ``"1 row"``, ``"2,000 rows"``."""
    return f"{format_number(number)} {one if number == 1 else many or one + 's'}"


def count_doing(number: int, one: str, does: str, do: str, *, many: str | None = None) -> str:
    """Return a number with its noun and verb: ``"1 row stays"``, ``"2 rows stay"``."""
    return f"{count_things(number, one, many)} {does if number == 1 else do}"


def cut_text(text: str, most: int = 320) -> str:
    """Return a text cut for display, with its length where it is cut.

    The default limit is the most that an address can have: 64 and 255 octets and the at-sign.
    """
    if len(text) <= most:
        return text
    length = say_many(len(text), "{count} character", "{count} characters")
    return f"{text[:most]}\N{HORIZONTAL ELLIPSIS} ({length})"


def capitalise(text: str) -> str:
    """Return a phrase with its first letter a capital, the rest as it is."""
    return text[:1].upper() + text[1:]


def round_estimate(number: int) -> int:
    """Return an estimate rounded to two leading digits: 103,111 is 100,000."""
    return round(number, min(0, 2 - len(str(number))))


def show_share(part: int, whole: int) -> str:
    """Return a share in percent: one decimal, and never 0 % for something or 100 % for less."""
    if whole <= 0 or part <= 0:
        return "0 %"
    if part >= whole:
        return "100 %"
    percent = 100 * part / whole
    if percent < 0.1:
        return f"< {format_decimal(0.1)} %"
    return f"{format_decimal(min(percent, 99.9))} %"


def show_size(size_bytes: int) -> str:
    """Return a size in decimal units, as the quota counts: ``"2.4 GB"``."""
    size = float(size_bytes)
    unit = _UNITS[0]
    for unit in _UNITS:
        if size < 1000 or unit == _UNITS[-1]:
            break
        size /= 1000
    if unit == _UNITS[0]:
        return say_many(size_bytes, "{count} byte", "{count} bytes")
    return f"{format_decimal(size, 1 if size < 100 else 0)} {unit}"


def show_duration(seconds: float) -> str:
    """Return a duration for a person who waits: ``"about 3 minutes"``."""
    if seconds < 5:
        return say("a few seconds")
    if seconds < 60:
        return say("about {count} seconds", count=round(seconds / 5) * 5)
    if seconds < _SECONDS_PER_HOUR:
        return say_many(round(seconds / 60), "about {count} minute", "about {count} minutes")
    hours, rest = divmod(round(seconds / 60), 60)
    if rest == 0:
        return say_many(hours, "{count} hour", "{count} hours")
    return say_many(
        hours,
        "about {count} hour {minutes} min",
        "about {count} hours {minutes} min",
        minutes=f"{rest:02d}",
    )


def show_date(moment: date) -> str:
    """Return a day: ``"20 Nov 2026"``."""
    return format_day(moment)


def show_moment(moment: datetime) -> str:
    """Return a day and time in UTC: ``"20 Nov 2026, 14:05 UTC"``."""
    return f"{show_date(moment)}, {moment:%H:%M} UTC"


def show_days_left(until: datetime, now: datetime) -> str:
    """Return the time until deletion, days rounded up: ``"12 days left"``."""
    left = until - now
    if left <= timedelta(0):
        return say("expired")
    if left < timedelta(days=1):
        return say("less than a day left")
    return say_many(count_days_left(until, now), "{count} day left", "{count} days left")


def count_days_left(until: datetime, now: datetime) -> int:
    """Return the days until deletion, rounded up; 0 once it is due."""
    return max(0, -((now - until) // timedelta(days=1)))
