"""Proofs of the store, on real SQLite."""
