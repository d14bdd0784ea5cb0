"""A resource that several instances of a memory share, such as a server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ClassVar


class Shared:
    """A resource that all instances with the same key share.

    The first instance makes it, and the last one ends it.
    """

    _lock = threading.Lock()
    _live: ClassVar[dict[Any, Any]]
    _key: Any
    _end: Callable[[], None]
    instances = 0

    @classmethod
    def enter(cls, key: Any, *given: Any) -> Any:
        """Return the resource for one more instance; the arguments are those of its constructor."""
        with cls._lock:
            if key not in cls._live:
                cls._live[key] = cls(key, *given)  # type: ignore[call-arg]
                cls._live[key]._key = key
            cls._live[key].instances += 1
            return cls._live[key]

    def leave(self) -> None:
        """End it if no other instance uses it."""
        with self._lock:
            self.instances -= 1
            if not self.instances:
                del self._live[self._key]
                self._end()
