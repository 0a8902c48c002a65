"""Figures as people read them: thousands, shares, sizes, times."""

from datetime import date, datetime, timedelta

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_SECONDS_PER_HOUR = 3600


def show_count(number: int) -> str:
    """Return a number with thousands separators: ``"41,977"``."""
    return f"{number:,}"


def count_things(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: ``"1 row"``, ``"2,000 rows"``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def count_doing(number: int, one: str, does: str, do: str, *, many: str | None = None) -> str:
    """Return a number with its noun and verb: ``"1 row stays"``, ``"2 rows stay"``."""
    return f"{count_things(number, one, many)} {does if number == 1 else do}"


def cut_text(text: str, most: int = 320) -> str:
    """Return a text as far as it is worth showing, with its length where it is cut.

    The usual limit is what an address could have at most: 64 and 255 octets and the at-sign.
    """
    if len(text) <= most:
        return text
    return f"{text[:most]}\N{HORIZONTAL ELLIPSIS} ({count_things(len(text), 'character')})"


def round_estimate(number: int) -> int:
    """Return an estimate without false precision, two leading figures: 103,111 is 100,000."""
    return round(number, min(0, 2 - len(str(number))))


def show_share(part: int, whole: int) -> str:
    """Return a share in percent: one decimal, and never 0 % for something or 100 % for less."""
    if whole <= 0 or part <= 0:
        return "0 %"
    if part >= whole:
        return "100 %"
    percent = 100 * part / whole
    if percent < 0.1:
        return "< 0.1 %"
    return f"{min(percent, 99.9):.1f} %"


def show_size(size_bytes: int) -> str:
    """Return a size in decimal units, as the quota counts: ``"2.4 GB"``."""
    size = float(size_bytes)
    unit = _UNITS[0]
    for unit in _UNITS:
        if size < 1000 or unit == _UNITS[-1]:
            break
        size /= 1000
    if unit == _UNITS[0]:
        return count_things(size_bytes, "byte")
    return f"{size:.1f} {unit}" if size < 100 else f"{size:.0f} {unit}"


def show_duration(seconds: float) -> str:
    """Return a duration for a person who waits: ``"about 3 minutes"``."""
    if seconds < 5:
        return "a few seconds"
    if seconds < 60:
        return f"about {round(seconds / 5) * 5} seconds"
    if seconds < _SECONDS_PER_HOUR:
        return f"about {count_things(round(seconds / 60), 'minute')}"
    hours, rest = divmod(round(seconds / 60), 60)
    if rest == 0:
        return count_things(hours, "hour")
    return f"about {count_things(hours, 'hour')} {rest:02d} min"


def show_date(moment: date) -> str:
    """Return a day: ``"20 Nov 2026"``."""
    return f"{moment.day} {moment:%b %Y}"


def show_moment(moment: datetime) -> str:
    """Return a day and time in UTC: ``"20 Nov 2026, 14:05 UTC"``."""
    return f"{show_date(moment)}, {moment:%H:%M} UTC"


def show_days_left(until: datetime, now: datetime) -> str:
    """Return how long something is still kept, days rounded up: ``"12 days left"``."""
    left = until - now
    if left <= timedelta(0):
        return "expired"
    if left < timedelta(days=1):
        return "less than a day left"
    return f"{count_things(-(-left // timedelta(days=1)), 'day')} left"
