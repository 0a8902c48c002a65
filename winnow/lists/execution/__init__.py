"""Who runs the blocks of a list: threads, temporary files, the file of the result."""
