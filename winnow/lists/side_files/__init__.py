"""Do-not-mail, bounce and own-list files of any shape, which are read and not kept."""
