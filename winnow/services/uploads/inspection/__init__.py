"""Inspection of uploads in processes that may be killed at any moment."""
