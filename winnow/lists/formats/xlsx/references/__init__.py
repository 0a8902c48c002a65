"""References to cells, moved when rows are removed: formulas, names, tables, charts, pivots."""
