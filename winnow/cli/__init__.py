"""The command line: every command is one function that returns the exit code."""
