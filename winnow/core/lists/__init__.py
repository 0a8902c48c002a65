"""What is said of a list: its head, its rows, its counts, what is cleaned and downloaded."""
