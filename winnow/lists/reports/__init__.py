"""A finished project's counts as a page to hand on."""
