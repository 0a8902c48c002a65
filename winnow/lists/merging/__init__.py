"""Several lists put together as one: their rows rewritten, one file behind the other."""
