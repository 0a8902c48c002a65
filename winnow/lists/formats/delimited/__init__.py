"""Delimited text (CSV, TSV, plain lines): detection, reading and batch run."""
