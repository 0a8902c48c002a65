"""Cells that a spreadsheet would take for formulas, made text on their way out."""

FORMULA_SIGNS = "=+@\t\r-"  # OWASP, "CSV Injection"; the hyphen last, as a class of a pattern needs


def guard_cell(cell: str) -> str:
    """Return a cell with an apostrophe before it where it begins like a formula."""
    return f"'{cell}" if cell.startswith(tuple(FORMULA_SIGNS)) else cell
