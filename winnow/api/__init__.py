"""The service over HTTP: routes, request parsing, authentication, and errors as problem details."""
