"""Guard against formulas in cells of downloads (CSV injection)."""

FORMULA_SIGNS = "=+@\t\r-"  # OWASP, "CSV Injection"; the hyphen last, as a class of a pattern needs


def guard_cell(cell: str) -> str:
    """Return a cell, with an apostrophe before it where it begins like a formula."""
    return f"'{cell}" if cell.startswith(tuple(FORMULA_SIGNS)) else cell
