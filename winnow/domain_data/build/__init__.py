"""Build of the domain data from packages, reviewed files and refreshed lists."""
