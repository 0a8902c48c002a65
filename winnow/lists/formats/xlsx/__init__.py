"""Excel workbooks: opened with limits, rewritten in a stream, all else in them kept."""
