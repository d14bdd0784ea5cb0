"""Two agents of which it is known what they take: next to nothing, and as much as is asked for."""

from __future__ import annotations

import time


class IdleMemory:
    """Remembers nothing and finds nothing, so that what is measured is the harness."""

    def add(self, text: str) -> None:
        """Forget the text."""

    def search(self, query: str, k: int) -> list[str]:
        """Find nothing."""
        return []


class BusyAgent:
    """Counts until ``seconds`` of its thread's CPU time are gone, then answers with them."""

    def __init__(self, seconds: str = "1") -> None:
        self._seconds = float(seconds)

    def memorize(self, chunk: str) -> None:
        """Forget the chunk."""

    def answer(self, query: str) -> str:
        """Be busy."""
        start = time.thread_time()
        while time.thread_time() - start < self._seconds:
            pass
        return f"{self._seconds:g}"
