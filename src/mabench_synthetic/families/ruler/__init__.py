"""Numbered documents about an invented world."""
