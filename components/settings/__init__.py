"""The parts of the settings: API keys, usage, bans."""
