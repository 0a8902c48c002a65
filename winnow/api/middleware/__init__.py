"""Middleware before the routes: hosts, origins, authentication, limits, errors, shutdown."""
