"""The proxies of the environment, through which a server of models may have to be reached."""

from __future__ import annotations

import os
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass


class Proxies:
    """Looks proxies up, once for each address, since the whole environment is read for it.

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
        if parts[:2] not in self._found:
            proxies = {} if proxy_bypass(parts.netloc) else getproxies()
            self._found[parts[:2]] = proxies.get(parts.scheme) or proxies.get("all")
        return self._found[parts[:2]]


def name_proxy(scheme: str, proxy: str) -> str:
    """Return the variable that names a proxy, with the proxy's address."""
    parts = urlsplit(proxy)
    address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"  # Without a password.
    names = (f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
    return next((f"{name}={address}" for name in names if os.environ.get(name)), address)
