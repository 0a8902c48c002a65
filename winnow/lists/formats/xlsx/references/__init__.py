"""References to cells, moved when rows of a sheet go: formulas, names, tables, charts, pivots."""
