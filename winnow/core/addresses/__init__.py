"""Email addresses: parsing, format validation, duplicates' keys, pasted text, repairs to offer."""
