"""Files of the data folder: published, checked, and removed when no row names them."""
