"""Checkers of columns of any kind, over the domain data of this installation."""

from collections.abc import Mapping
from typing import Any

from winnow.core.addresses.address import duplicate_key
from winnow.core.errors import BadField
from winnow.core.own_lists.entries import put_own_first
from winnow.core.own_lists.patterns import REASONS, OwnLists, parse_pattern
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.judge import LiveJudge
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.suffixes import is_public_suffix
from winnow.library.checked_address import CheckedAddress
from winnow.library.checker import Checker, tabulate
from winnow.library.columns import ColumnKind, is_pandas, read_column, read_texts, require_text
from winnow.library.open_data import open_domain_data
from winnow.library.open_network import OFFLINE, OpenNetwork, OpenSources, ask_many
from winnow.library.run_judge import RunJudge
from winnow.library.shipped_data import ShippedData, open_shipped


class AnyChecker:
    """Checks values and columns of any kind, and returns the same kind."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker

    @property
    def data_version(self) -> str:
        """The version of the domain data judged with."""
        return self._checker.data_version

    def check(self, text: str) -> CheckedAddress:
        """Check one value."""
        return self._checker.check(text)

    def check_any(self, values: Any) -> Any:
        """Check a column; see ``winnow.check_column``."""
        try:
            kind, texts = read_column(values)
        except UnicodeEncodeError:  # a lone surrogate, which Arrow cannot hold
            return self._check_each(values)
        if kind is ColumnKind.LIST:
            return self._checker.check_many(texts)
        table = self._checker.check_column(texts)
        match kind:
            case ColumnKind.PANDAS:
                return table.to_pandas().set_axis(values.index)
            case ColumnKind.POLARS:
                import polars as pl

                return pl.from_arrow(table)
        return table

    def _check_each(self, values: Any) -> Any:
        answers = self._checker.check_each(read_texts(values))
        if is_pandas(values):
            return tabulate(answers).to_pandas().set_axis(values.index)
        return answers

    def key_any(self, values: Any) -> Any:
        """Return the keys of a column; see ``winnow.duplicate_keys``."""
        try:
            kind, texts = read_column(values)
        except UnicodeEncodeError:
            return self._key_each(values)
        keys = self._checker.key_column(texts)
        match kind:
            case ColumnKind.LIST:
                return keys.to_pylist()
            case ColumnKind.PANDAS:
                import pandas as pd

                return pd.Series(keys.to_pandas().to_numpy(), values.index, name=values.name)
            case ColumnKind.POLARS:
                import polars as pl

                return pl.Series(values.name, pl.from_arrow(keys))
        return keys

    def _key_each(self, values: Any) -> Any:
        texts = read_texts(values)
        keys = [None if text is None else duplicate_key(text) or None for text in texts]
        if is_pandas(values):
            import pandas as pd

            return pd.Series(keys, values.index, name=values.name, dtype=object)
        return keys


def open_checker(
    own_lists: Mapping[str, str] | None = None,
    data: ShippedData | None = None,
    *,
    for_run: bool = False,
    sources: OpenSources = OFFLINE,
) -> AnyChecker:
    """Open a checker; the domain data is opened once a process.

    Args:
        own_lists: By pattern: white, grey or black.
        data: Domain data sent from where the run began; None: this installation's own.
        for_run: Whether it is used for many columns, and may cache domains between them.
        sources: Network sources for one value or one column.

    Raises:
        BadField: A pattern or a category is not valid.
        DomainDataDiffers: The data sent is of another version than this installation.
    """
    knowledge = open_domain_data() if data is None else open_shipped(data)
    live = (
        RunJudge(knowledge) if for_run else LiveJudge(knowledge, mail=sources.mail, age=sources.age)
    )
    judge = put_own_first(live, read_own_lists(own_lists or {}))
    return AnyChecker(Checker(judge))


def check_value(
    text: str, own_lists: Mapping[str, str] | None, network: OpenNetwork | None
) -> CheckedAddress:
    """Check one value; see ``winnow.check``."""
    require_text(text)
    sources = OFFLINE if network is None else network.ask_one()
    return open_checker(own_lists, sources=sources).check(text)


def check_values(
    values: Any,
    own_lists: Mapping[str, str] | None,
    data: ShippedData | None,
    network: OpenNetwork | None,
) -> Any:
    """Check a column; see ``winnow.check_column``."""
    with ask_many(network) as sources:
        return open_checker(own_lists, data, sources=sources).check_any(values)


def read_own_lists(entries: Mapping[str, str]) -> OwnLists:
    """Return own lists by pattern.

    Raises:
        BadField: A pattern or a category is none.
    """
    read = []
    for text, category in entries.items():
        pattern = parse_pattern(text, is_public_suffix)
        if category not in set(Category):
            raise BadField("own_lists", f"{category!r} is none of white, grey and black")
        read.append(OwnEntry(Category(category), pattern.text, REASONS[pattern.kind]))
    return OwnLists.build(1, read)
