"""Workbooks that can only be read (OpenDocument, old Excel) and come back as XLSX."""
