"""Superseded facts: numbered statements, read into a ledger, and questions answered from it."""
