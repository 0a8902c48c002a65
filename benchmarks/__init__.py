"""Measurements, each a command; none is a test."""
