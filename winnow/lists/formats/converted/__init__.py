"""Workbooks that are only read (OpenDocument, old Excel); their results are XLSX."""
