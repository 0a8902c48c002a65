"""Cells of dates as people write them, each a number that is the larger the newer it is.

ISO 8601, year first; day.month.year; day/month/year or month/day/year, which the column as a whole
decides (``DateCounts``); a month's name in English or German; digits alone (``20240131``, Unix
time, Excel's days); with or without a time and a zone. A time without a zone counts as UTC.
"""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.lists.engine.duplicates import Ranks

NO_DATE = 0  # the rank of an empty cell, and of one that cannot be read: the oldest

_DAY = 86_400_000_000  # in microseconds
_EXCEL_DAY_0 = 693_593  # 1899-12-30 by ``_count_days`` (ISO/IEC 29500-1, 18.17.4.1)
_FIRST_MOMENT = datetime(1, 1, 1)  # noqa: DTZ001 - ranks count in UTC
_UNIX_DAY_0 = 719_162  # 1970-01-01
_PIVOT = 69  # of a year of two digits: 69 to 99 are 1969 to 1999 (POSIX, strptime)
_OPEN = np.uint64(1 << 63)  # in a rank: its day and month are not told apart yet
_YEAR_AT, _FIRST_AT, _SECOND_AT = 48, 43, 38

_MONTHS = (
    *("jan", "feb", r"m\?*a?r", "apr", "ma[iy]", "jun"),
    *("jul", "aug", "sep", "o[ck]t", "nov", "de[cz]"),
)
_NAME = "(?:" + "|".join(_MONTHS) + r")[a-z]*\??[a-z]*"
_WEEKDAY = r"(?:(?:mon?|tue?|wed|thu|fri?|sat?|sun?|di|mi|do|so)[a-z]*[.,]{0,2}\s+)?"
_TIME = (
    r"(?:(?:t|,?\s+(?:at\s+|um\s+)?)(?P<hour>\d{1,2})[:.](?P<minute>\d{2})"
    r"(?:[:.](?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?(?:\s*uhr)?(?:\s*(?P<half>[ap])\.?m\.?)?"
    r"(?:\s*(?P<zone>z|utc|gmt|[+-]\d{2}:?(?:\d{2})?))?)?"
)
_NUMBERS = (
    r"^(?:(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})"
    r"|(?P<a>\d{1,2})(?P<sign>[-/.])\s?(?P<b>\d{1,2})[-/.]\s?(?P<y2>\d{4}|\d{2}))" + _TIME + "$"
)
_WORDS = (
    "^" + _WEEKDAY + r"(?:(?P<d1>\d{1,2})(?:st|nd|rd|th)?[\s.\-]+(?P<m1>" + _NAME + r")[\s.,\-]+"
    r"(?P<y1>\d{4}|\d{2})|(?P<m2>" + _NAME + r")\.?\s+(?P<d2>\d{1,2})(?:st|nd|rd|th)?,?\s+"
    r"(?P<y2>\d{4}))" + _TIME + "$"
)
_DIGITS = (
    r"^(?P<y1>\d{4})(?P<m1>\d{2})(?P<d1>\d{2})"
    r"(?:t?(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?z?)?$"
)
_UNIX_TIME = r"^\d{10}(?:\d{3}|\.\d{1,6})?$"
_EXCEL_DAYS = r"^[1-9]\d{4}(?:[.,]\d{1,15})?$"

_Numbers = NDArray[np.int64]


@dataclass(slots=True)
class DateCounts:
    """What the cells of a column say of themselves.

    Of dates year last, between dashes or slashes: how many there are of each, how many are a date
    day first and how many month first, how many only so, and how many have a clock of half days.
    ``unreadable`` are filled cells that are no date either way.
    """

    unreadable: int = 0
    slashes: int = 0
    dashes: int = 0
    day_first: int = 0
    month_first: int = 0
    only_day_first: int = 0
    only_month_first: int = 0
    half_days: int = 0

    def add(self, other: "DateCounts") -> None:
        """Add a block's."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    @property
    def is_open(self) -> bool:
        """Whether any date has to be decided by the column."""
        return bool(self.slashes or self.dashes)

    @property
    def is_guess(self) -> bool:
        """Whether any has to be, and the dates do not tell."""
        return self.is_open and self.only_day_first == self.only_month_first

    @property
    def takes_day_first(self) -> bool:
        """Whether such dates are day first, as most are that tell.

        Where none does: with slashes or half days as in the United States, with dashes as in
        Europe.
        """
        if not self.is_guess:
            return self.only_day_first > self.only_month_first
        return self.dashes > self.slashes and not self.half_days

    @property
    def all_unreadable(self) -> int:
        """How many filled cells are no date, the order of day and month decided."""
        readable = self.day_first if self.takes_day_first else self.month_first
        return self.unreadable + self.slashes + self.dashes - readable


def settle_dates(ranks: Ranks, *, takes_day_first: bool) -> Ranks:
    """Return ranks that may be compared: microseconds, NO_DATE where there is no date."""
    places = np.flatnonzero(ranks & _OPEN)
    if not len(places):
        return ranks
    settled = ranks.copy()
    year, first, second, clock = _unpack(ranks[places])
    day, month = (first, second) if takes_day_first else (second, first)
    settled[places] = _count_moments(year, month, day, clock)
    return settled


def show_rank(rank: int) -> str:
    """Return a settled rank as a moment in UTC: ``"2024-01-31"``, ``"2024-01-31 10:15:00"``."""
    try:
        moment = _FIRST_MOMENT + timedelta(microseconds=rank - 1) - timedelta(days=1)
    except OverflowError:  # by its zone before the calendar begins
        return ""
    return "" if rank == NO_DATE else moment.isoformat(" ").removesuffix(" 00:00:00")


def read_dates(texts: pl.Series) -> tuple[Ranks, DateCounts]:
    """Read cells as dates; return their ranks, to be settled, and what they say.

    ``texts`` are in lower case, with ``?`` for each byte that is not ASCII; null: empty.
    """
    texts = texts.str.strip_chars()
    ranks = np.zeros(len(texts), np.uint64)
    counts = DateCounts()
    filled = np.flatnonzero((texts.str.len_bytes() > 0).fill_null(value=False).to_numpy())
    for read in (_read_numbers, _read_words, _read_digits, _read_unix_time, _read_excel_days):
        if not len(filled):
            break
        filled = filled[~read(texts.gather(filled), filled, ranks, counts)]
    counts.unreadable += len(filled)
    return ranks, counts


def _read_numbers(
    texts: pl.Series, rows: _Numbers, ranks: Ranks, counts: DateCounts
) -> NDArray[np.bool_]:
    """Read dates of three numbers; return which cells have this form and are no other date."""
    found = texts.str.extract_groups(_NUMBERS).struct.unnest()
    is_first = found["y1"].is_not_null().to_numpy()
    year = np.where(is_first, _numbers(found["y1"]), _widen_years(found["y2"]))
    clock = _read_clock(found)
    moments = _count_moments(year, _numbers(found["m1"]), _numbers(found["d1"]), clock)
    ranks[rows[is_first]] = moments[is_first]
    a, b = _numbers(found["a"]), _numbers(found["b"])
    is_dotted = (found["sign"] == ".").fill_null(value=False).to_numpy()
    by_day = _count_moments(year, b, a, clock)
    ranks[rows[is_dotted]] = by_day[is_dotted]
    is_settled = (is_first & (moments > 0)) | (is_dotted & (by_day > 0))
    signs = found["sign"].fill_null("").to_numpy()
    is_open = np.isin(signs, ("/", "-"))
    by_month = _count_moments(year, a, b, clock)
    is_date = is_open & ((by_day > 0) | (by_month > 0))
    packed = _pack(year[is_date], a[is_date], b[is_date], clock[is_date])
    ranks[rows[is_date]] = packed
    slashed = is_date & (signs == "/")
    counts.slashes += int(np.count_nonzero(slashed))
    counts.dashes += int(np.count_nonzero(is_date & ~slashed))
    counts.day_first += int(np.count_nonzero(is_date & (by_day > 0)))
    counts.month_first += int(np.count_nonzero(is_date & (by_month > 0)))
    counts.only_day_first += int(np.count_nonzero(is_date & (by_month == 0)))
    counts.only_month_first += int(np.count_nonzero(is_date & (by_day == 0)))
    halves = found["half"].is_not_null().to_numpy()
    counts.half_days += int(np.count_nonzero(is_date & halves))
    return is_settled | is_date


def _read_words(
    texts: pl.Series, rows: _Numbers, ranks: Ranks, counts: DateCounts
) -> NDArray[np.bool_]:
    found = texts.str.extract_groups(_WORDS).struct.unnest()
    month = np.zeros(len(texts), np.int64)
    names = found["m1"].fill_null(found["m2"]).fill_null("")
    for number, name in enumerate(_MONTHS, start=1):
        month[names.str.contains("^" + name).to_numpy()] = number
    day = _numbers(found["d1"].fill_null(found["d2"]))
    year = _widen_years(found["y1"].fill_null(found["y2"]))
    moments = _count_moments(year, month, day, _read_clock(found))
    ranks[rows] = moments
    return moments > 0


def _read_digits(
    texts: pl.Series, rows: _Numbers, ranks: Ranks, counts: DateCounts
) -> NDArray[np.bool_]:
    found = texts.str.extract_groups(_DIGITS).struct.unnest()
    clock = _join_clock(*(_numbers(found[name], 0) for name in ("hour", "minute", "second")))
    year, month, day = (_numbers(found[name]) for name in ("y1", "m1", "d1"))
    ranks[rows] = moments = _count_moments(year, month, day, clock)
    return moments > 0


def _read_unix_time(
    texts: pl.Series, rows: _Numbers, ranks: Ranks, counts: DateCounts
) -> NDArray[np.bool_]:
    is_time = texts.str.contains(_UNIX_TIME)
    numbers = pl.select(pl.when(is_time).then(texts)).to_series().cast(pl.Float64)
    seconds = numbers.fill_null(0).to_numpy()
    seconds = np.where(seconds >= 1e12, seconds / 1_000, seconds)
    moments = (_UNIX_DAY_0 + 1) * _DAY + np.round(seconds * 1_000_000).astype(np.int64) + 1
    found = is_time.to_numpy()
    ranks[rows[found]] = moments[found].astype(np.uint64)
    return found


def _read_excel_days(
    texts: pl.Series, rows: _Numbers, ranks: Ranks, counts: DateCounts
) -> NDArray[np.bool_]:
    is_days = texts.str.contains(_EXCEL_DAYS)
    written = pl.select(pl.when(is_days).then(texts.str.replace(",", "."))).to_series()
    days = written.cast(pl.Float64).fill_null(0).to_numpy()
    moments = (_EXCEL_DAY_0 + 1) * _DAY + np.round(days * 86_400).astype(np.int64) * 1_000_000 + 1
    found = is_days.to_numpy()
    ranks[rows[found]] = moments[found].astype(np.uint64)
    return found


def _numbers(texts: pl.Series, default: int = -1) -> _Numbers:
    numbers: _Numbers = texts.cast(pl.Int64).fill_null(default).to_numpy()
    return numbers


def _widen_years(texts: pl.Series) -> _Numbers:
    """Return years, those of two digits as people mean them."""
    years = _numbers(texts)
    is_short = (texts.str.len_bytes() == 2).fill_null(value=False).to_numpy()
    widened: _Numbers = np.where(is_short, years + np.where(years < _PIVOT, 2_000, 1_900), years)
    return widened


def _read_clock(found: pl.DataFrame) -> _Numbers:
    """Return the microseconds of the day in UTC, below 0 or over a day by its zone.

    ``-_DAY - 1`` for what no clock shows.
    """
    hour, minute, second = (_numbers(found[name], 0) for name in ("hour", "minute", "second"))
    half = found["half"]
    if half.null_count() < len(half):
        has_half = half.is_not_null().to_numpy()
        is_late = (half == "p").fill_null(value=False).to_numpy()
        is_odd = has_half & ((hour < 1) | (hour > 12))
        hour = np.where(has_half, hour % 12 + 12 * is_late, hour)
        hour[is_odd] = 99
    clock = _join_clock(hour, minute, second)
    is_clock = clock >= 0
    clock += _numbers(found["part"].str.pad_end(6, "0").str.slice(0, 6), 0)
    zone = found["zone"]
    if zone.null_count() < len(zone):
        digits = zone.str.replace_all("[^0-9]", "").str.pad_end(4, "0")
        offset = _numbers(digits.str.slice(0, 2), 0) * 60 + _numbers(digits.str.slice(2, 2), 0)
        is_behind = zone.str.starts_with("-").fill_null(value=False).to_numpy()
        offset = np.minimum(offset, 24 * 60) * 60_000_000
        clock -= np.where(is_behind, -offset, offset)
    return np.where(is_clock, clock, -_DAY - 1)


def _join_clock(hour: _Numbers, minute: _Numbers, second: _Numbers) -> _Numbers:
    is_clock = (hour < 24) & (minute < 60) & (second < 61)
    clock: _Numbers = ((hour * 60 + minute) * 60 + second) * 1_000_000
    return np.where(is_clock, clock, -_DAY - 1)


def _count_moments(year: _Numbers, month: _Numbers, day: _Numbers, clock: _Numbers) -> Ranks:
    """Return microseconds from 1 on; NO_DATE where the calendar has no such day."""
    is_date = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (clock >= -_DAY)
    safe = np.where(is_date, month, 1)
    is_leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    longest = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])[safe]
    is_date &= day <= longest + (is_leap & (safe == 2))
    moments = _count_days(year, safe, day) * _DAY + clock + _DAY + 1
    return np.where(is_date, moments, NO_DATE).astype(np.uint64)


def _count_days(year: _Numbers, month: _Numbers, day: _Numbers) -> _Numbers:
    """Return days since 0001-01-01 of the Gregorian calendar."""
    before = year - 1
    is_leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    passed = np.array([0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334])[month]
    days: _Numbers = 365 * before + before // 4 - before // 100 + before // 400
    days += passed + (is_leap & (month > 2)) + day - 1
    return days


def _pack(year: _Numbers, first: _Numbers, second: _Numbers, clock: _Numbers) -> Ranks:
    packed: _Numbers = (year << _YEAR_AT) | (first << _FIRST_AT) | (second << _SECOND_AT)
    return (packed | (clock + _DAY)).astype(np.uint64) | _OPEN


def _unpack(ranks: Ranks) -> tuple[_Numbers, _Numbers, _Numbers, _Numbers]:
    values = (ranks & ~_OPEN).astype(np.int64)
    clock = (values & ((1 << _SECOND_AT) - 1)) - _DAY
    return values >> _YEAR_AT, values >> _FIRST_AT & 31, values >> _SECOND_AT & 31, clock
