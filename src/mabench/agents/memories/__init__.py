"""The memories that are built in: by words, by meaning, by both."""
