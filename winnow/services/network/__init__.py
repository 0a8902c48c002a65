"""Network switches and the refresh of the domain lists."""
