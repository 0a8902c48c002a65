"""The account's own lists: patterns, entries, and the judge that asks them first."""
