"""DNS against a server of our own on 127.0.0.1: no query leaves the machine."""
