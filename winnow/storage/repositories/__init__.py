"""One repository a table: rows in, values of the core out."""
