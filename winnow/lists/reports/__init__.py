"""Reports of a finished project: HTML pages and a workbook to share."""
