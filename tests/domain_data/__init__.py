"""Proofs of the domain data: guards, spelling, the build and the compiled file."""
