"""Excel workbooks: opened with limits, rewritten in a stream, all other content kept."""
