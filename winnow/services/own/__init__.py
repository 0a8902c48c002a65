"""Your lists, policies, do-not-mail files and bounces."""
