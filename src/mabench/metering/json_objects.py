"""JSON that a memory or a server sent, as far as it is an object."""

from __future__ import annotations

import json
from typing import Any


def parse_object(content: bytes | bytearray) -> dict[str, Any] | None:
    """Return the object that JSON holds; None if it is anything else."""
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None
