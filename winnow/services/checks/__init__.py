"""Single checks and bans."""
