"""The pure core: addresses, facts, verdicts, policy, task states, errors; no input or output."""
