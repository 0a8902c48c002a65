"""Facts of decision pages and of letters to a person."""
