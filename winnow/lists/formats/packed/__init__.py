"""Delimited text packed as one stream: gzip (RFC 1952) and Zstandard (RFC 8878)."""
