"""Histories of operations: how they are drawn at random, and in which steps they are carried out.

Nothing here knows what a memory shows: histories depend on the seed and on what a memory can do.
"""
