"""The library (``import winnow``): verdicts for values, columns and files, without a server."""
