"""Offline domain data, compiled from published lists and reviewed files."""
