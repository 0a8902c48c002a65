"""Which release this is."""

VERSION = "0.1.0"  # pyproject.toml reads it from here
