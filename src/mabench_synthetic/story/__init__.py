"""Simulated stories, and the text that tells them."""
