"""The HTTP API: contract, hostile requests, who may do what."""
