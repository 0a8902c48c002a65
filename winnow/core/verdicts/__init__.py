"""From facts to verdicts: the facts, the one policy, its closed vocabulary and its evidence."""
