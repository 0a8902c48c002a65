"""One repository per table, with the core's values."""
