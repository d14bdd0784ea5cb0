"""An event loop in a thread, for clients that must always be called from the same loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any


class EventLoop:
    """An event loop that runs in a thread of its own until it is closed."""

    def __init__(self) -> None:
        """Start the loop."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the loop, wait for it, and return its result or raise its error."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
