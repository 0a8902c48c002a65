"""Version of this release."""

VERSION = "0.2.0"  # pyproject.toml reads it from here
