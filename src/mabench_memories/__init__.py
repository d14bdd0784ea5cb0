"""The memories that come with mabench: they find texts by words, by meaning, or by both.

They are plugins like any other memory, and get only the texts that are added to them.
"""
