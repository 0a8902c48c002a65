"""The parts of the Rules page: your lists and bounces."""
