"""Agents and memories elsewhere: a pair of classes over a channel, and a channel a transport."""
