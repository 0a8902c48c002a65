"""List formats, one package each; none imports another."""
