"""Network switches, the refresh of the domain lists, and hooks."""
