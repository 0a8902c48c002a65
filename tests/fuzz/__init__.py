"""Hostile input: whatever comes in ends in a result or in a decided error."""
