"""Merging of several lists into one: their rows rewritten, one file after the other."""
