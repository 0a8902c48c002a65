"""What is known offline about domains, compiled from published lists and reviewed files."""
