"""Proofs under fire: processes killed, paused and cut off in mid-write."""
