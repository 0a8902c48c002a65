"""Unicode normal forms of short texts, and cells that a spreadsheet takes for formulas."""

import unicodedata
from collections.abc import Callable, Iterable
from typing import Literal

TEXT_MAX_CHARACTERS = 998  # RFC 5322, 2.1.1: no line of a message is longer


def normalise_form(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in a normal form; one beyond ``TEXT_MAX_CHARACTERS`` is returned unchanged.

    The time that Unicode's ordering of combining marks takes grows with the square of their number.
    """
    if len(text) > TEXT_MAX_CHARACTERS or text.isascii():
        return text
    return unicodedata.normalize(form, text)


def fold_name(name: str) -> str:
    """Return a column's name for comparison, without case, outer blanks and BOM."""
    return normalise_form("NFC", name.strip().strip("\ufeff").strip().casefold())


def number_names(
    wanted: Iterable[str], taken: Iterable[str], fold: Callable[[str], str], between: str = "_"
) -> tuple[str, ...]:
    """Return names, each with a number after it where it is another's, once both are folded."""
    used, names, numbers = set(map(fold, taken)), [], dict[str, int]()
    for base in wanted:
        name, number = base, numbers.get(fold(base), 2)
        while fold(name) in used:
            name, number = f"{base}{between}{number}", number + 1
        used.add(fold(name))
        numbers[fold(base)] = number
        names.append(name)
    return tuple(names)


def spell_plainly(name: str) -> str:
    """Return a name in small letters and digits only, without accents."""
    parts = normalise_form("NFKD", name.casefold())
    return "".join(letter for letter in parts if letter.isalnum())


FORMULA_SIGNS = "=+@\t\r-"  # OWASP, "CSV Injection"; the hyphen last, as a class of a pattern needs


def guard_cell(cell: str) -> str:
    """Return a cell, with an apostrophe before it where it begins like a formula.

    One that begins so behind apostrophes gets one more: ``unguard_cell`` returns every cell.
    """
    return f"'{cell}" if cell.lstrip("'").startswith(tuple(FORMULA_SIGNS)) else cell


def unguard_cell(cell: str) -> str:
    """Return a cell without the apostrophe of ``guard_cell``."""
    is_guarded = cell.startswith("'") and cell.lstrip("'").startswith(tuple(FORMULA_SIGNS))
    return cell[1:] if is_guarded else cell
