"""Proofs of behaviour, laid out like the code they test."""
