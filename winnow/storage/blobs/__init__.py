"""The files of the data folder: published, marked as ours, and removed when nobody owns them."""
