"""Durable state: one database with accounts, keys, tasks, usage, quota, and the data folder."""
