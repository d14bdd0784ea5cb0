"""Where mabench keeps what it downloads."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return the cache folder: ``MABENCH_CACHE`` if set, else the platform's; it may not exist."""
    chosen = os.environ.get("MABENCH_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return platformdirs.user_cache_path("mabench")
