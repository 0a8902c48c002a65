"""The formats that lists come in, one package each; none knows another."""
