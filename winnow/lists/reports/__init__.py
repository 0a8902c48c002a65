"""HTML pages to share: the report of a project, decisions, letters."""
