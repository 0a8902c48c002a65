"""Files laid beside a list, of any shape: what they name is read, and the files are not kept."""
