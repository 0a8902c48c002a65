"""Network clients: DNS, RDAP, and small answers over https."""
