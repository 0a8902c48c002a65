"""What is known of one domain, or of many at once, from the compiled data."""
