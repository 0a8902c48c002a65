"""The library, as programs call it."""
