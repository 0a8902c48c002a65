"""Parts of every page: navigation, foot line, error boundary, sign-in."""
