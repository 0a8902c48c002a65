"""Uploads: received, inspected, previewed, merged."""
