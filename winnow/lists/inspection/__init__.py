"""What an uploaded file is: signature, encoding, dialect, columns, and the plan of its reading."""
