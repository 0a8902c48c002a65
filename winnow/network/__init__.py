"""Asking beyond this machine: DNS, RDAP, and small answers over https."""
