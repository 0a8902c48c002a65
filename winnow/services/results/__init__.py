"""Results of finished projects: rows, charts, downloads, reports."""
