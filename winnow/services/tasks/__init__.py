"""Batch tasks: submitted, run by the worker, deleted, expired."""
