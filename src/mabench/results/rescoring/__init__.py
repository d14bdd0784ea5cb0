"""Scoring answers again, and answers that another tool collected."""
