"""The parts of one project's page."""
