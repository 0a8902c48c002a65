"""The API judged by tools that nobody here wrote, each in an environment of its own."""
