"""Streams of random numbers: one for each part of a data set, all from a single seed."""

from __future__ import annotations

from random import Random


def stream(seed: int, *path: str | int) -> Random:
    """Return the generator that belongs to ``path`` (a family, a row) under ``seed``.

    Streams of different paths are independent, so a change to one family alters no other. A
    string seeds Python's generator through SHA-512, which does not depend on PYTHONHASHSEED.
    """
    return Random("/".join(map(str, (seed, *path))))  # noqa: S311 - nothing here is secret
