"""The row index of a finished project, and the answers that pages ask of it."""
