"""Pages, one script each: read input, call one service, draw."""
