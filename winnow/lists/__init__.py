"""Lists on disk: file formats, the batch engine that adds verdicts, the row index of results."""
