"""A few journeys in a real browser against a real server."""
