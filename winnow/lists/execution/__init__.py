"""Execution of a run: threads for blocks, temporary files, the file of the result."""
