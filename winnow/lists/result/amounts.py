"""Amounts read out of a column as people write them, and added up by what becomes of their rows.

``1,234.56``, ``1.234,56 €``, ``CHF 1'234.50``, ``(12)``, ``5,-``. A cell with two kinds of marks,
or with a mark that cannot part thousands, says itself which one is decimal. ``1.234`` alone does
not: it is read as most of the column's cells are written, else as the list's dialect suggests.
"""

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

_PLAIN = r"^-?[0-9]{1,15}(?:\.[0-9]{1,2}|\.[0-9]{4,18})?(?:[eE][-+]?[0-9]{1,2})?$"
_PLAIN_COMMA = r"^-?[0-9]{1,15},(?:[0-9]{1,2}|[0-9]{4,18})$"
_NOISE = r"[\s'\x{2019}_]|[,.][-\x{2013}\x{2014}]+$"
_SIGN = r"[-\x{2212}]"
_MONEY = r"(?:[A-Z]{3}|[A-Z]{0,2}\p{Sc}|[Kk]r|Fr|Rs|R|zł|Ft|Kč|lei|лв)\.?"
_AMOUNT = (
    rf"^\(?(?:{_SIGN}?(?:{_MONEY})?|{_MONEY}{_SIGN})([0-9][0-9.,]{{0,40}}|[.,][0-9]{{1,20}})"
    rf"(?:{_MONEY})?{_SIGN}?\)?$"
)
_GROUPED = r"^[0-9]*$|^[0-9]{1,3}(?:[.,][0-9]{2,3})*[.,][0-9]{3}$"
_ODD_MOST = 5  # of so many filled cells of a column of amounts, one may be something else

Sums = NDArray[np.float64]


@dataclass(slots=True)
class AmountSums:
    """Sums by outcome, as they grow. ``doubtful`` are those of cells like ``1.234``, as thousands.

    ``commas`` and ``points`` count cells that say which mark is decimal.
    """

    outcome_count: int
    semicolons: bool = False
    sure: Sums = field(init=False)
    doubtful: dict[str, Sums] = field(init=False)
    filled: int = 0
    unread: int = 0
    commas: int = 0
    points: int = 0

    def __post_init__(self) -> None:
        """Begin with nothing."""
        self.sure = np.zeros(self.outcome_count)
        self.doubtful = {mark: np.zeros(self.outcome_count) for mark in ".,"}

    @property
    def has_decimal_comma(self) -> bool:
        """Whether a comma is the decimal mark of cells that could be read both ways."""
        if self.commas == self.points:
            return self.semicolons
        return self.commas > self.points

    @property
    def sums(self) -> Sums:
        """The sums by outcome."""
        thousands, decimals = (".", ",") if self.has_decimal_comma else (",", ".")
        whole: Sums = self.sure + self.doubtful[thousands] + self.doubtful[decimals] / 1000
        return whole

    def add(self, amounts: pl.DataFrame, outcomes: NDArray[np.int64]) -> None:
        """Add a stretch of cells, as ``read_amounts`` has them, and the outcomes of their rows."""
        frame = amounts.with_columns(pl.Series("outcome", outcomes)).filter(pl.col("is_filled"))
        self.filled += len(frame)
        self.unread += frame["amount"].null_count()
        self.commas += int(frame["is_comma"].sum())
        self.points += int(frame["is_point"].sum())
        frame = frame.filter(pl.col("amount").is_not_null())
        self.sure += self._sum(frame.filter(pl.col("doubtful") == ""))
        for mark, sums in self.doubtful.items():
            sums += self._sum(frame.filter(pl.col("doubtful") == mark))

    def _sum(self, frame: pl.DataFrame) -> Sums:
        weights, outcomes = frame["amount"].to_numpy(), frame["outcome"].to_numpy()
        counts = np.bincount(outcomes, weights=weights, minlength=self.outcome_count)
        sums: Sums = counts.astype(np.float64)  # of no rows they are whole numbers
        return sums


def read_amounts(cells: pl.Series) -> pl.DataFrame:
    """Read cells as amounts.

    Returns:
        A line a cell: ``is_filled``, ``amount`` (null for what is none), ``doubtful`` (the mark of
        a cell like ``1.234``, whose amount is then in thousands, else empty), ``is_comma`` and
        ``is_point`` (the cell says that this mark is decimal).
    """
    text = cells.str.strip_chars()
    is_pointed, is_comma = text.str.contains(_PLAIN), text.str.contains(_PLAIN_COMMA)
    is_plain = is_pointed | is_comma
    with_point = text.str.replace(",", ".", literal=True) if is_comma.any() else text
    frame = pl.DataFrame(
        {
            "is_filled": text != "",
            "amount": with_point.cast(pl.Float64, strict=False).set(~is_plain, None),
            "doubtful": pl.repeat("", len(text), dtype=pl.String, eager=True),
            "is_comma": is_comma,
            "is_point": is_pointed & text.str.contains(".", literal=True),
        }
    )
    odd = (frame["is_filled"] & ~is_plain).arg_true()
    if not len(odd):
        return frame
    read = _read_odd(text.gather(odd))
    return frame.with_columns(frame[name].scatter(odd, read[name]) for name in read.columns)


def _read_odd(text: pl.Series) -> pl.DataFrame:
    """Read cells that are more than digits with a decimal point."""
    bare = text.str.replace_all(_NOISE, "")
    last = pl.col("body").str.extract(r"([.,])[0-9]*$", 1)
    fraction = pl.col("body").str.extract(r"[.,]([0-9]*)$", 1)
    front = pl.col("body").str.replace(r"[.,][0-9]*$", "")
    frame = pl.DataFrame(
        {
            "body": bare.str.extract(_AMOUNT, 1),
            "is_negative": bare.str.contains(rf"{_SIGN}|^\(.*\)$"),
        }
    ).with_columns(
        last.alias("last"),
        fraction.fill_null("").alias("fraction"),
        front.alias("front"),
        pl.col("body").str.count_matches(r"[.,]").alias("marks"),
        pl.col("body").str.contains(r"\..*,|,.*\.").alias("has_both"),
    )
    is_grouped = pl.col("body").str.contains(_GROUPED)
    is_doubtful = (pl.col("marks") == 1) & is_grouped & ~pl.col("front").str.starts_with("0")
    is_whole = (pl.col("marks") == 0) | (is_grouped & ~pl.col("has_both"))
    is_whole &= (pl.col("marks") != 1) | is_doubtful
    is_decimal = ~is_whole & pl.col("front").str.contains(_GROUPED)
    is_decimal &= (pl.col("marks") == 1) | pl.col("has_both")
    # Both marks twice is no number; nor is the decimal one among those that part thousands.
    is_decimal &= (pl.col("marks") == 1) | ~_holds(pl.col("front"), pl.col("last"))
    digits = pl.col("body").str.replace_all(r"[.,]", "")
    decimal = pl.col("front").str.replace_all(r"[.,]", "") + "." + pl.col("fraction")
    sign = pl.when("is_negative").then(-1).otherwise(1)
    frame = frame.with_columns(
        pl.when(is_whole)
        .then(digits)
        .when(is_decimal)
        .then("0" + decimal)
        .cast(pl.Float64, strict=False)
        .mul(sign)
        .alias("amount"),
        pl.when(is_doubtful).then("last").otherwise(pl.lit("")).fill_null("").alias("doubtful"),
    )
    # A mark that parts thousands says that the other is decimal.
    says = (
        pl.when(is_decimal)
        .then("last")
        .when(is_whole & (pl.col("marks") > 1))
        .then(pl.when(pl.col("last") == ".").then(pl.lit(",")).otherwise(pl.lit(".")))
    )
    return frame.select(
        "amount",
        "doubtful",
        (says == ",").fill_null(value=False).alias("is_comma"),
        (says == ".").fill_null(value=False).alias("is_point"),
    )


def _holds(text: pl.Expr, mark: pl.Expr) -> pl.Expr:
    return text.str.contains(mark, literal=True)


def tell_amounts(cells: pl.Series) -> bool:
    """Tell whether a column's first cells are amounts."""
    frame = read_amounts(cells).filter(pl.col("is_filled"))
    return len(frame) > 0 and frame["amount"].null_count() * _ODD_MOST <= len(frame)
