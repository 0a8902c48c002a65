"""Parts of the pages by feature, and what all pages share."""
