"""The database: its tables and migrations, and whether anything in it has changed."""
