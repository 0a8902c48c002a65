"""What ``import winnow`` gives: verdicts for values, columns and files, without a server."""
