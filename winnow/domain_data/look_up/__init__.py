"""Look-up of one domain, or of many at once, in the compiled data."""
