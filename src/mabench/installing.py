"""How an extra of mabench is installed, for the installation at hand.

Everything imports this module, so it imports what takes long only when it is asked.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path


def install_command(extra: str) -> str:
    """Return the command that installs an extra of mabench.

    mabench that was installed from a folder or a file is installed from there again, by its path
    where the current folder is another; an editable checkout stays editable.
    """
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    url, editable = _origin()
    source = Path(url2pathname(urlsplit(url).path)) if url.startswith("file:") else None
    if source is None or not source.exists():
        return f"pip install {shlex.quote(f'mabench[{extra}]')}"
    place = "." if source == Path.cwd().resolve() else str(source)
    return f"pip install {'-e ' * editable}{shlex.quote(f'{place}[{extra}]')}"


def _origin() -> tuple[str, bool]:
    """Return the URL that mabench was installed from, and whether that is an editable checkout.

    pip and uv write it by PEP 610; the URL is empty for a package of an index.
    """
    from importlib import metadata

    try:
        written = metadata.distribution("mabench").read_text("direct_url.json")
        origin = json.loads(written or "{}")
        return str(origin["url"]), bool(origin.get("dir_info", {}).get("editable"))
    except (
        metadata.PackageNotFoundError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OSError,
    ):
        return "", False
