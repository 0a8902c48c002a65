"""Accounts, keys, sign-in and usage."""
