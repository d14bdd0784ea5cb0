"""Sending a request until it is answered, as far as that may help."""
