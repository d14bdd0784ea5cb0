"""The folders in which systems write."""

from __future__ import annotations

import tempfile
from pathlib import Path


def make_folder(system: str) -> Path:
    """Return a new folder of one instance, which removes it."""
    return Path(tempfile.mkdtemp(prefix=f"mabench-{system}-"))
