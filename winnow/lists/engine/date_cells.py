"""Date parser for cells: each date becomes a number, larger for newer dates.

Dates year first, day.month.year, with a month's name, and with slashes or dashes, where the column
as a whole decides which number is the day (``DateCounts``); with or without a weekday and a clock
(of 24 hours, or AM and PM); offsets and usual zones; Unix time and Excel's days. A time without an
offset counts as UTC.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.lists.engine.duplicates import Ranks

NO_DATE = 0  # the rank of an empty cell, and of one that cannot be read: the oldest

_DAY = 86_400_000_000  # in microseconds
_UNIX_START = 719_163 * _DAY + 1  # the rank of 1970-01-01
_EXCEL_DAYS_TO_1970 = 25_569  # from 1899-12-30 (ISO/IEC 29500-1, 18.17.4.1)
_OPEN = np.uint64(1 << 63)  # in a rank: read day first, the month may be first as well

_MONTHS = {  # first letters; ``?`` is a byte or a letter beyond ASCII
    name: f"{month:02}"
    for month, names in enumerate(
        (
            *("jan ene gen", "feb fev f?v f??", "mar mrz mrt m?r m??", "apr avr abr"),
            *("may mai maj mag mei", "jun giu", "jul lug", "aug ago aou ao?", "sep set"),
            *("oct okt ott out", "nov", "dec dez dic d?c d??"),
        ),
        start=1,
    )
    for name in names.split()
}
_ZONES = {  # RFC 2822, 4.3; then those of Europe, Japan and Australia
    name: offset
    for offset, names in (
        *(("+0000", "ut utc gmt wet"), ("-0400", "edt"), ("-0500", "est cdt")),
        *(("-0600", "cst mdt"), ("-0700", "mst pdt"), ("-0800", "pst")),
        *(("+0100", "bst west cet mez"), ("+0200", "cest mesz eet"), ("+0300", "eest msk")),
        *(("+0900", "jst"), ("+1000", "aest"), ("+1100", "aedt")),
    )
    for name in names.split()
}
_WEEKDAY = (
    r"^(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim|jue|vie"
    r"|s\?{1,2}b|dom)[a-z?]*[.,]*\s+"
)
_IS_ODD = r"[a-z?]{2}|\?|\dh|t\d{4}"  # a letter alone is ISO 8601's T or Z
_SPELLINGS = (  # in this order; en, de, fr, es, it, pt, nl, zh, ja, ko
    (r"\s*\([^)]*\)$", ""),
    (r"^(\d{4})\s?\?{1,3}\s?(\d{1,2})\s?\?{1,3}\s?(\d{1,2})\s?\?{1,3}", "${1}-${2}-${3}"),
    (_WEEKDAY + r"(\d{1,4}[./-]\d{1,2}[./-].*)$", "${1}"),
    (_WEEKDAY + r"(\d{1,2}[a-z?\s.\-]+[a-z?]{3}.*)$", "${1}"),
    (_WEEKDAY + r"([a-z?]{3,12}\.?\s+\d{1,2}\b.*)$", "${1}"),
    (r"^(\d{1,2})(?:er|st|nd|rd|th|\?{1,2})\s", "${1} "),
    (r"\s(?:de|del|of)\s", " "),
    (r"\s(?:de|del|of)\s", " "),  # the first match only is replaced
    (r"\bjuil", "jul"),
    (r"\bjuin", "jun"),
    (r",?\s(?:at|um|om|kl\.?|alle|a las?|a|\?{1,2}s?)\s(\d{1,2}[:.h])", " ${1}"),
    (r"\s(\d{1,2})\s?h\s?(\d{2})", " ${1}:${2}"),
    (r"\s(\d{2})\.(\d{2})\.(\d{2})((?:\.\d+)?\s[ap]m)$", " ${1}:${2}:${3}${4}"),  # Oracle's
    (r"\s?uhr$", ""),
    (r"(\d)t(\d{2})(\d{2})(\d{2})", "${1}t${2}:${3}:${4}"),
    (r"[\s?]*([ap])\.?\s?m\b\.?", "${1}m"),
    (
        r"^([a-z?]{3,12}\.?\s+\d{1,2})\s+([\d:]+)((?:\s[a-z]{2,4})?)\s+(\d{4})$",
        "${1} ${4} ${2}${3}",
    ),
    (r"\s?(?:gmt|utc)\s?([+-]\d)", "${1}"),
)
_ZONE = r"\d(?:[ap]m)?\s?([a-z]{2,4})$"
_CLOCK = (
    r"^(?P<day>[^:]*?)(?:(?:t|,?\s+)(?P<minute>\d{1,2}:\d{2})(?P<second>:\d{2})?"
    r"(?:[.,](?P<part>\d{1,9}))?(?P<half>am|pm)?\s?(?P<offset>z|[+-]\d{2}(?::?\d{2})?)?)?$"
)
_THREE_NUMBERS = r"^(\d{1,2})[-/.]\s?(\d{1,2})[-/.]\s?"
_DAY_AND_NAME = r"^(\d{1,2})[\s.\-]+([a-z?]{3})[a-z?]*[\s.,\-]+"
_YEARS_2000 = r"([0-5]\d|6[0-8])$"  # 69 to 99 are 1969 to 1999 (POSIX)
_OPEN_DATE = r"^\d{1,2}([-/])\s?\d{1,2}[-/]"
_FORMS = (
    (r"^(\d{4})[-/.]\s?(\d{1,2})[-/.]\s?(\d{1,2})\.?$", "${1}-${2}-${3}"),
    (r"^(\d{4})(\d{2})(\d{2})$", "${1}-${2}-${3}"),
    (_THREE_NUMBERS + r"(\d{4})$", "${3}-${2}-${1}"),
    (_THREE_NUMBERS + _YEARS_2000, "20${3}-${2}-${1}"),
    (_THREE_NUMBERS + r"(\d\d)$", "19${3}-${2}-${1}"),
    (_DAY_AND_NAME + r"(\d{4})$", "${3}-${2}-${1}"),
    (_DAY_AND_NAME + _YEARS_2000, "20${3}-${2}-${1}"),
    (_DAY_AND_NAME + r"(\d\d)$", "19${3}-${2}-${1}"),
    (r"^([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$", "${3}-${1}-${2}"),
)
_UNIX_TIME = r"^\d{10}(?:\d{3}|\.\d{1,6})?$"
_EXCEL_DAYS = r"^[1-9]\d{4}(?:[.,]\d{1,15})?$"


@dataclass(slots=True)
class DateCounts:
    """Counts of a column's date formats, which decide whether the day or the month comes first.

    Of dates year last, between dashes or slashes: how many there are of each, and how many are a
    date day first only or month first only. ``unreadable`` are filled cells that are no date.
    """

    unreadable: int = 0
    slashes: int = 0
    dashes: int = 0
    only_day_first: int = 0
    only_month_first: int = 0

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
        """Whether a date is open, and the column's other dates do not decide it."""
        return self.is_open and self.only_day_first == self.only_month_first

    @property
    def takes_day_first(self) -> bool:
        """Whether open dates are day first, as most are that can be read in one way only.

        Where there are none: with slashes as in the United States, with dashes as in Europe.
        """
        if not self.is_guess:
            return self.only_day_first > self.only_month_first
        return self.dashes > self.slashes


def settle_dates(ranks: Ranks, *, takes_day_first: bool) -> Ranks:
    """Return ranks that may be compared: microseconds, NO_DATE where there is no date."""
    is_open = ranks & _OPEN > 0
    settled = ranks & ~_OPEN
    if takes_day_first or not is_open.any():
        return settled
    moments = settled[is_open].astype(np.int64) - _UNIX_START
    dates = (moments // _DAY).astype("M8[D]")
    months = dates.astype("M8[M]")
    years = months.astype("M8[Y]")
    day, month = (dates - months).astype(np.int64), (months - years).astype(np.int64)
    swapped = (years.astype("M8[M]") + day).astype("M8[D]") + month
    clock = moments % _DAY
    settled[is_open] = (swapped.astype(np.int64) * _DAY + clock + _UNIX_START).astype(np.uint64)
    return settled


def count_days(ranks: Ranks) -> NDArray[np.int32]:
    """Return the days of settled ranks from 1970 on; 0 where there is none, or one before."""
    days = (ranks.astype(np.int64) - _UNIX_START) // _DAY
    return np.maximum(days, 0).astype(np.int32)


def show_rank(rank: int) -> str:
    """Return a settled rank as a moment in UTC: ``"2024-01-31"``, ``"2024-01-31 10:15:00"``."""
    moment = str(np.datetime64(rank - _UNIX_START, "us")).replace("T", " ")
    return "" if rank == NO_DATE else moment.removesuffix(".000000").removesuffix(" 00:00:00")


def read_texts(texts: pl.Series) -> tuple[Ranks, DateCounts]:
    """Read texts as they are; see ``read_dates``."""
    return read_dates(texts.str.to_lowercase().str.replace_all(r"[^\x00-\x7f]", "?"))


def read_column(cells: Iterable[pl.Series]) -> tuple[Ranks, DateCounts]:
    """Read a column's texts, a stretch after the other; of a stretch each distinct one once.

    The counts are those of the distinct texts.
    """
    counts, pieces = DateCounts(), [np.empty(0, np.uint64)]
    for texts in cells:
        distinct = texts.unique()
        ranks, found = read_texts(distinct)
        counts.add(found)
        indices = texts.replace_strict(distinct, np.arange(len(distinct)), return_dtype=pl.UInt32)
        pieces.append(ranks[indices.cast(pl.UInt32).to_numpy()])  # polars leaves none a text
    return np.concatenate(pieces), counts


def read_dates(texts: pl.Series) -> tuple[Ranks, DateCounts]:
    """Read cells as dates; return their ranks, to be settled, and the counts of their formats.

    ``texts`` are in lower case, with ``?`` for each byte that is not ASCII; null: empty.
    """
    texts = texts.str.strip_chars().fill_null("")
    is_odd = texts.str.contains(_IS_ODD)
    if is_odd.any():
        texts = texts.scatter(is_odd.arg_true(), _spell(texts.filter(is_odd)))
    days, clock, is_local = _split(texts)
    sign = days.str.extract(_OPEN_DATE)
    days = _order(days)
    by_day = _parse(days, clock)
    is_open = sign.is_not_null() & is_local
    by_month = pl.Series([None], dtype=pl.Int64).new_from_index(0, len(texts))
    if is_open.any():
        swapped = days.str.replace(r"-(\d+)-(\d+)$", "-${2}-${1}")
        by_month = _parse(swapped.set(~is_open, None), clock)
    moments = by_day.fill_null(by_month)
    if moments.has_nulls():
        moments = moments.fill_null(_read_numbers(texts))
    ranks = (moments + _UNIX_START).fill_null(NO_DATE).cast(pl.UInt64).to_numpy().copy()
    ranks[(by_day.is_not_null() & by_month.is_not_null()).to_numpy()] |= _OPEN
    is_open &= by_day.is_not_null() | by_month.is_not_null()
    return ranks, DateCounts(
        unreadable=int((moments.is_null() & (texts != "")).sum()),
        slashes=int((is_open & (sign == "/")).sum()),
        dashes=int((is_open & (sign == "-")).sum()),
        only_day_first=int((is_open & by_month.is_null()).sum()),
        only_month_first=int((is_open & by_day.is_null()).sum()),
    )


def _spell(texts: pl.Series) -> pl.Series:
    """Return dates with words around them as ``_CLOCK`` and ``_FORMS`` have them."""
    for pattern, spelling in _SPELLINGS:
        texts = texts.str.replace(pattern, spelling)
    zone = texts.str.extract(_ZONE)
    offset = zone.replace_strict(_ZONES, default=None, return_dtype=pl.String)
    plain = texts.str.replace(r"\s?[a-z]{2,4}$", "") + offset
    return plain.zip_with(offset.is_not_null(), texts)


def _split(texts: pl.Series) -> tuple[pl.Series, pl.Series | None, pl.Series]:
    """Return days, clocks with their offsets (None: midnight), and which have no offset."""
    if not texts.str.contains(":", literal=True).any():
        return texts, None, pl.Series([True]).new_from_index(0, len(texts))
    cells = texts.str.extract_groups(_CLOCK).struct.unnest()
    minute, offset = cells["minute"].fill_null("00:00"), cells["offset"]
    halves = cells["half"]
    if halves.is_not_null().any():  # what is no time becomes ``99:``
        hours = minute.str.extract(r"^(\d+)").cast(pl.Int64)
        of_12 = hours % 12 + (halves == "pm").cast(pl.Int64) * 12
        of_12 = of_12.zip_with(hours.is_between(1, 12), hours * 0 + 99)
        hours = of_12.zip_with(halves.is_not_null(), hours)
        minute = hours.cast(pl.String) + minute.str.extract(r"(:\d+)$")
    clock = minute + cells["second"].fill_null(":00")
    clock += "." + cells["part"].fill_null("0")
    clock += offset.fill_null("z").replace("z", "+0000").str.replace(r"^(.\d\d)$", "${1}00")
    return cells["day"].fill_null(""), clock, offset.is_null()


def _order(days: pl.Series) -> pl.Series:
    """Return days as year, month and day; null where the form is none of a date."""
    found = pl.Series([None], dtype=pl.String).new_from_index(0, len(days))
    for pattern, order in _FORMS:
        is_form = days.str.contains(pattern) & found.is_null()
        if is_form.all():
            found = days.str.replace(pattern, order)
            break
        if is_form.any():
            found = found.zip_with(~is_form, days.str.replace(pattern, order))
    if days.str.contains("[a-z]").any():
        found = found.str.replace_many(list(_MONTHS), list(_MONTHS.values()))
    return found.set(found.str.starts_with("0000").fill_null(value=False), None)


def _parse(days: pl.Series, clock: pl.Series | None) -> pl.Series:
    """Return microseconds since 1970; null for what the calendar or the clock does not have."""
    if clock is None:
        return days.str.to_date("%Y-%m-%d", strict=False).cast(pl.Int64) * _DAY
    form = "%Y-%m-%d %H:%M:%S%.f%z"
    return (days + " " + clock).str.to_datetime(form, time_unit="us", strict=False).cast(pl.Int64)


def _read_numbers(texts: pl.Series) -> pl.Series:
    """Return microseconds since 1970 for Unix times and Excel's days."""
    is_unix, is_excel = texts.str.contains(_UNIX_TIME), texts.str.contains(_EXCEL_DAYS)
    numbers = texts.set(~(is_unix | is_excel), None).str.replace(",", ".").cast(pl.Float64)
    seconds = numbers.zip_with(numbers < 1e12, numbers / 1_000)
    days = ((numbers - _EXCEL_DAYS_TO_1970) * 86_400).round()
    seconds = seconds.zip_with(is_unix, days)
    return (seconds * 1_000_000).round().cast(pl.Int64)
