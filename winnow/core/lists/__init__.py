"""Values that describe a list: its head, rows, counts, cleaning and downloads."""
