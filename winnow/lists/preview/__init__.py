"""What a list is likely to come out as, told from a part of it within a second or two."""
