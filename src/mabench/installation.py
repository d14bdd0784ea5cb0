"""What depends on how mabench is installed: commands that install more, imports, the cache folder.

An extra is a group of optional packages, such as ``inspect``. Everything imports this module, so
it imports what takes long only when it is asked.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from mabench.pasteable import quote_word

# Python locks every module by itself. Two threads that import parts of a large package (nltk,
# scikit-learn) in different orders wait for each other, and one of the imports fails.
import_lock = threading.RLock()


def cache_folder() -> Path:
    """Return the folder for downloads and cached replies, which may not exist yet.

    The environment variable ``MABENCH_CACHE`` names it; by default it is the platform's.
    """
    folder = os.environ.get("MABENCH_CACHE")
    if folder:
        return Path(folder).expanduser()
    import platformdirs

    return platformdirs.user_cache_path("mabench")


def can_import(module: str) -> bool:
    """Return whether a module can be imported, without importing it."""
    if module in sys.modules:
        return sys.modules[module] is not None  # None is put there to forbid an import.
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # The package that the module belongs to is missing.
        return False


def install_alone(package: str) -> str:
    """Return the command that installs a package without what it requires."""
    return f"pip install --no-deps {package}"


def install_command(extra: str) -> str:
    """Return the command that installs an extra of mabench, from where it was installed.

    That is the package index, or a file or folder of this machine.
    """
    from importlib.metadata import distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    source, is_editable = None, False
    # pip and uv record the origin of a package that comes from no index (PEP 610). The record may
    # be missing, or have any form.
    with suppress(ImportError, ValueError, LookupError, TypeError, AttributeError, OSError):
        origin = json.loads(distribution("mabench").read_text("direct_url.json") or "{}")
        is_editable = bool(origin.get("dir_info", {}).get("editable"))
        if origin["url"].startswith("file:"):
            source = Path(url2pathname(urlsplit(origin["url"]).path))
    if source is None or not source.exists():
        return f"pip install {quote_word(f'mabench[{extra}]')}"
    place = "." if source == Path.cwd().resolve() else str(source)
    option = "-e " if is_editable else ""
    return f"pip install {option}{quote_word(f'{place}[{extra}]')}"
