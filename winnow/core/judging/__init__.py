"""Judging of addresses: facts of an address, its verdict, the evidence and the answer."""
