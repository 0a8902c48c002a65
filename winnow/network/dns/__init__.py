"""DNS: a resolver client with limits, and the meaning of its answers for mail."""
