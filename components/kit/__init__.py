"""Widgets and words that several pages share."""
