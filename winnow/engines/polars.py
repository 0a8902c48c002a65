"""Verdicts in Polars: ``import winnow.polars`` adds ``winnow`` to series and expressions."""

from collections.abc import Mapping

import polars as pl

import winnow
from winnow.library.checkers import open_checker

_CHECKED = pl.Struct(
    {
        "category": pl.Categorical(),
        "domain_type": pl.Categorical(),
        "reasons": pl.Categorical(),
        "suggestion": pl.String(),
        "is_role": pl.Boolean(),
        "domain": pl.Categorical(),
    }
)


@pl.api.register_series_namespace("winnow")
class PolarsSeriesVerdicts:
    """Namespace ``series.winnow`` of a series of texts."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def check(self, own_lists: Mapping[str, str] | None = None) -> pl.Series:
        """Return a struct for each value; see ``winnow.check_column``."""
        checked: pl.DataFrame = winnow.check_column(self._series, own_lists=own_lists)
        return checked.to_struct(self._series.name)

    def duplicate_key(self) -> pl.Series:
        """Return the keys that keep-last compares; see ``winnow.duplicate_keys``."""
        keys: pl.Series = winnow.duplicate_keys(self._series)
        return keys


@pl.api.register_expr_namespace("winnow")
class PolarsVerdicts:
    """Namespace ``pl.col("email").winnow`` of an expression; lazy frames and streams too."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def check(
        self, own_lists: Mapping[str, str] | None = None, *, in_batches: bool = False
    ) -> pl.Expr:
        """Return a struct for each value; see ``winnow.check_column``.

        Args:
            own_lists: As for ``winnow.check``.
            in_batches: Whether a stream is checked as it comes, some 100,000 rows at a time, in
                bounded memory. By default the column is gathered first, since each call judges
                each of its domains: with many domains that is twice as fast.
        """
        checker = open_checker(own_lists, for_run=True)

        def check_series(series: pl.Series) -> pl.Series:
            checked: pl.DataFrame = checker.check_any(series)
            return checked.to_struct(series.name)

        return self._expression.map_batches(
            check_series, return_dtype=_CHECKED, is_elementwise=in_batches
        )

    def duplicate_key(self) -> pl.Expr:
        """Return the keys that keep-last compares; see ``winnow.duplicate_keys``."""

        def key_series(series: pl.Series) -> pl.Series:
            return PolarsSeriesVerdicts(series).duplicate_key()

        return self._expression.map_batches(key_series, return_dtype=pl.String, is_elementwise=True)
