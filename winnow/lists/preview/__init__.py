"""Preview of a list's result from a part of it, within a second or two."""
