"""What is told of a decision on a page that can be checked later: the facts, and their hash."""
