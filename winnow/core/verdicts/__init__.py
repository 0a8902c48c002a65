"""Verdicts: the facts, the one policy, its closed vocabulary and its evidence."""
