"""The memories that come with mabench: they find texts by words, by meaning, or by both."""
