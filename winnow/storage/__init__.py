"""The one durable truth: accounts, keys, tasks, usage, quota, links and bans in one database."""
