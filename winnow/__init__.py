"""The local backend: a whole email validation service that knows nothing of its interface."""
