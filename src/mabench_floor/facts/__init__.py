"""Superseded facts: numbered statements, read into a book, and questions answered from it."""
