"""What several instances of a memory use at a time, such as a server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ClassVar


class Shared:
    """What instances of one key use at a time: the first one makes it, the last one ends it."""

    _lock = threading.Lock()
    _live: ClassVar[dict[Any, Any]]
    _key: Any
    _end: Callable[[], None]
    instances = 0

    @classmethod
    def enter(cls, key: Any, *given: Any) -> Any:
        """Return it for another instance; it is made of its key and what else is given."""
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
