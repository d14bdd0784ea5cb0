"""Parses JSON objects that a memory or a server sent."""

from __future__ import annotations

import json
from typing import Any


def parse_object(content: bytes | bytearray) -> dict[str, Any] | None:
    """Return the object in JSON; None if it is no JSON or no object."""
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None
