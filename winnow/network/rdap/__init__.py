"""RDAP client for the ages of domains, with polite rates (RFC 9082, 9083, 9224)."""
