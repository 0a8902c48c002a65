"""The pages and their components, on real services."""
