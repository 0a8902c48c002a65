"""Verdicts in pandas: ``import winnow.pandas`` adds ``winnow`` to every Series."""

from collections.abc import Mapping

import pandas as pd

import winnow


@pd.api.extensions.register_series_accessor("winnow")
class PandasVerdicts:
    """Accessor ``series.winnow`` of a Series of texts."""

    def __init__(self, series: pd.Series) -> None:
        self._series = series

    def check(self, own_lists: Mapping[str, str] | None = None) -> pd.DataFrame:
        """Return a frame on the same index; see ``winnow.check_column``."""
        return winnow.check_column(self._series, own_lists=own_lists)

    def duplicate_key(self) -> pd.Series:
        """Return the keys that keep-last compares; see ``winnow.duplicate_keys``."""
        return winnow.duplicate_keys(self._series)
