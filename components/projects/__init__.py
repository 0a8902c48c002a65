"""The parts of the Projects page."""
