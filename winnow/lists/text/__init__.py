"""Delimited text as bytes: records, cells, escapes, blocks of whole records."""
