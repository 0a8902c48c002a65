"""Cleaning of lists by the workers of a Dask scheduler."""
