"""RDAP: registries asked politely for the ages of domains (RFC 9082, 9083, 9224)."""
