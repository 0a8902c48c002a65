"""Inspection of uploads: signature, encoding, dialect, columns, and the plan to read them."""
