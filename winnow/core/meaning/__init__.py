"""Meaning of a list's columns and cells: who may be mailed, by headings and words that are data."""
