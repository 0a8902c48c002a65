"""Winnow in other engines: the same verdicts, by the code of docs/engines.md."""
