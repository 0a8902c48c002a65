"""Rows that the analyst's own files name: do-not-mail files, and bounces that were imported."""
