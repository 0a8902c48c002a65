"""Limited processes: they answer questions within bounds of memory and time."""
