"""One module a group of routes: requests in, answers of the contract out."""
