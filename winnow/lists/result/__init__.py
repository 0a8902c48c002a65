"""Row index of a finished project, and the queries that pages make."""
