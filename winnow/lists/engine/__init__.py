"""Lists in two passes: records, addresses, duplicates and verdicts by array operations."""
