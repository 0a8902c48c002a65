"""The parts of the Clean page: upload, review, start."""
