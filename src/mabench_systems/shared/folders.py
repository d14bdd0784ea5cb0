"""Makes the folders in which systems write."""

from __future__ import annotations

import tempfile
from pathlib import Path


def make_folder(system: str) -> Path:
    """Make a temporary folder for one instance, which must remove it."""
    return Path(tempfile.mkdtemp(prefix=f"mabench-{system}-"))
