"""Makes the temporary folders in which memory systems write."""

from __future__ import annotations

import tempfile
from pathlib import Path


def make_folder(system: str) -> Path:
    """Make a temporary folder for one instance of a system, which must remove it at its end."""
    return Path(tempfile.mkdtemp(prefix=f"mabench-{system}-"))
