"""A resource that several instances of a memory share, such as a server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ClassVar


class Shared:
    """A resource that all instances of a memory with the same key share.

    The first instance makes it, and the last one ends it. A subclass has a dictionary ``_live``, a
    constructor whose first argument is the key, and a method ``_end``.
    """

    _lock = threading.Lock()  # While the resource of a key is made or ended.
    _live: ClassVar[dict[Any, Any]]  # The resources in use, by key.
    _key: Any
    _end: Callable[[], None]
    instances = 0  # How many instances use the resource.

    @classmethod
    def enter(cls, key: Any, *arguments: Any) -> Any:
        """Return the resource of a key for one more instance, which must call ``leave`` once.

        If nobody uses it yet, it is made: the arguments are those of its constructor after the key.
        """
        with cls._lock:
            if key not in cls._live:
                cls._live[key] = cls(key, *arguments)  # type: ignore[call-arg]
                cls._live[key]._key = key
            resource = cls._live[key]
            resource.instances += 1
            return resource

    def leave(self) -> None:
        """Say that an instance no longer uses the resource, and end it if that was the last one."""
        with self._lock:
            self.instances -= 1
            if self.instances == 0:
                del self._live[self._key]
                self._end()
