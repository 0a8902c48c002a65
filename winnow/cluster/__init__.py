"""Lists that lie in a bucket or a shared folder, cleaned by the workers of a cluster."""
