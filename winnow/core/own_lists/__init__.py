"""The account's own lists: patterns, entries, and the judge that applies them first."""
