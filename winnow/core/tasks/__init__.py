"""The batch task: its states, progress and plan, and the same list checked again."""
