"""Matches: rows that the user's do-not-mail files and imported bounces name."""
