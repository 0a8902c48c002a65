"""The batch task: its states, progress and plan, and rechecks of a list."""
