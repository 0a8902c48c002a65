"""Proofs of the use cases, on a real data folder."""
