"""Dialogues about films."""
