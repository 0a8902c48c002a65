"""Looking into uploads: processes that may be ended at any moment, and what is said to them."""
