"""Dated chats of one user."""
