"""Proofs of inspection and of the batch engines."""
