"""Agents and memories in other processes, languages and places."""
