"""Proofs of the pure core."""
