"""One screen each: read input, call one service, draw."""
