"""DNS: a resolver client that knows when to stop, and what its answers mean for mail."""
