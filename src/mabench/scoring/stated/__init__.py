"""What a text states: the values in it, what is said of them, and which of them it chooses."""
