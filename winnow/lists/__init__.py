"""Lists on disk: what a file is, the batch engine that augments it, and the row index it leaves."""
