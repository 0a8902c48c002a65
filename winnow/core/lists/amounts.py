"""Amounts in a column of the analyst's own: how they are written, what a policy keeps of them."""

from collections.abc import Sequence
from dataclasses import dataclass

_MONEY_NAMES = (
    *("revenue", "turnover", "amount", "value", "sales", "spend", "spent", "total", "price"),
    *("ltv", "clv", "mrr", "arr", "order", "profit", "margin", "budget"),
    *("umsatz", "betrag", "wert", "erloes", "erlös", "preis", "summe", "bestell", "gewinn"),
    *("montant", "valeur", "prix", "importe", "valor", "ventas", "ingresos", "fatturato"),
    *("importo", "valore", "omzet", "bedrag", "waarde", "kwota", "wartość", "belopp"),
)


@dataclass(frozen=True, slots=True)
class AmountTotals:
    """A column's sums.

    Attributes:
        column: Its name.
        total: Of all rows.
        kept: What each policy keeps of it, in the order asked.
        filled: Rows with anything in the cell.
        unread: Rows among these whose cell is no number; they count as nothing.
        has_decimal_comma: How ``1.234`` and ``1,234`` were read: with a comma, the first is a
            thousand.
    """

    column: str
    total: float
    kept: tuple[float, ...]
    filled: int
    unread: int
    has_decimal_comma: bool


def find_money_column(names: Sequence[str]) -> str | None:
    """Return the first name that speaks of money; None where none does."""
    for part in _MONEY_NAMES:
        for name in names:
            if part in name.casefold():
                return name
    return None
