"""Delimited text (CSV, TSV, plain lines): what a file is, how it is read, and its batch run."""
