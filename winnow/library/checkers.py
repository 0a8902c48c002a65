"""Checkers of columns of any kind, over the domain data of this installation."""

from collections.abc import Mapping, Sequence
from typing import Any

from winnow.core.judging.judge import Judge
from winnow.core.ports import DomainKnowledge, MailSource
from winnow.library.check_text import read_own_lists
from winnow.library.checker import Checker
from winnow.library.columns import ColumnKind, read_column
from winnow.library.open_data import ShippedData, open_domain_data, open_shipped

MOST_DOMAINS = 1 << 18  # some 40 MB
_UNKNOWN = -1


class RunJudge(Judge):
    """Caches the facts of domains' names during a run. Thread-safe.

    A new judge finds them for each column, which is more than half of the work on a short one.
    """

    def __init__(self, knowledge: DomainKnowledge, most_domains: int = MOST_DOMAINS) -> None:
        super().__init__(knowledge)
        self._most_domains = most_domains
        self._numbers: dict[str, int] = {}

    def _number(self, domains: Sequence[str]) -> bytes:
        known = self._numbers
        numbers = [known.get(domain, _UNKNOWN) for domain in domains]
        new = [place for place, number in enumerate(numbers) if number == _UNKNOWN]
        if new:
            texts = [domains[place] for place in new]
            found = super()._number(texts)
            if len(known) + len(new) > self._most_domains:
                known = self._numbers = {}
            known.update(zip(texts, found, strict=True))
            for place, number in zip(new, found, strict=True):
                numbers[place] = number
        return bytes(numbers)


class AnyChecker(Checker):
    """Checks columns of any kind, and returns the same kind."""

    def check_any(self, values: Any) -> Any:
        """Check a column; see ``winnow.check_column``."""
        kind, texts = read_column(values)
        if kind is ColumnKind.LIST:
            return self.check_many(texts)
        table = self.check_column(texts)
        match kind:
            case ColumnKind.PANDAS:
                return table.to_pandas().set_axis(values.index)
            case ColumnKind.POLARS:
                import polars as pl

                return pl.DataFrame(  # ``from_arrow`` takes ten times as long for tables
                    [pl.Series(one, table[one]) for one in table.column_names]
                )
        return table

    def key_any(self, values: Any, *, join_aliases: bool = False) -> Any:
        """Return the keys of a column; see ``winnow.duplicate_keys``."""
        kind, texts = read_column(values)
        keys = self.key_column(texts, join_aliases=join_aliases)
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


def open_checker(
    own_lists: Mapping[str, str] | None = None,
    data: ShippedData | None = None,
    *,
    for_run: bool = False,
    mail: MailSource | None = None,
) -> AnyChecker:
    """Open a checker; the domain data is opened once a process.

    Args:
        own_lists: By pattern: white, grey or black.
        data: Domain data sent from where the run began; None: this installation's own.
        for_run: Whether it is used for many columns, and may cache domains between them.
        mail: DNS for one column; None: it is not asked.

    Raises:
        BadField: A pattern or a category is not valid.
        DomainDataDiffers: The data sent is of another version than this installation.
    """
    knowledge = open_domain_data() if data is None else open_shipped(data)
    live = RunJudge(knowledge) if for_run else Judge(knowledge, mail=mail)
    return AnyChecker(live.put_own_first(read_own_lists(own_lists or {})))
