"""The batch task: its states, progress and plan."""
