"""Realistic lists, made by a fixed seed, and an oracle that says what must come of them."""
