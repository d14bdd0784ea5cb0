"""Finds the proxy, named in the environment, through which a model's server is reached."""

from __future__ import annotations

import os
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass


class Proxies:
    """Looks proxies up, once for each address: each look-up reads the whole environment.

    With ``bypassed``, there is none for any address.
    """

    def __init__(self, *, bypassed: bool = False) -> None:
        self._bypassed = bypassed
        self._found: dict[tuple[str, str], str | None] = {}

    def find(self, url: str) -> str | None:
        """Return the proxy for a URL, if there is one."""
        if self._bypassed:
            return None
        parts = urlsplit(url)
        address = (parts.scheme, parts.netloc)
        if address not in self._found:
            proxies = {} if proxy_bypass(parts.netloc) else getproxies()
            self._found[address] = proxies.get(parts.scheme) or proxies.get("all")
        return self._found[address]


def name_proxy(scheme: str, proxy: str) -> str:
    """Return the environment variable that names a proxy, as ``VARIABLE=ADDRESS``.

    The address comes without a password, and alone if no variable is set.
    """
    parts = urlsplit(proxy)
    address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    for name in (f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY"):
        if os.environ.get(name):
            return f"{name}={address}"
    return address
