"""The use cases: check an address, take an upload, run a task, hand out a result, manage keys."""
