"""The headers of requests and replies that are passed on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

# They are for one connection alone (RFC 9110 §7.6.1), or are set anew.
_OF_A_CONNECTION = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding"}
    | {"upgrade", "proxy-authenticate", "proxy-authorization", "content-length", "host", "expect"}
)
_OURS = frozenset({"authorization", "accept-encoding", "api-key", "x-api-key", "cookie"})
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
Headers = list[tuple[str, str]]


def sent(headers: Iterable[tuple[str, str]], key: str | None) -> Headers:
    """Return the headers of a request as the server gets them: with the real key.

    The reply is asked for as it is, since a compressed one could not be read on the way.
    """
    passed = [(name, value) for name, value in returned(headers) if name.lower() not in _OURS]
    if key:
        passed.append(("Authorization", f"Bearer {key}"))
    return [*passed, ("Accept-Encoding", "identity")]


def returned(headers: Iterable[tuple[str, str]]) -> Headers:
    """Return the headers of a reply, or a request, that are not for one connection alone.

    Those with control characters, which HTTP has no place for, are left out, too.
    """
    listed = [(name, value) for name, value in headers if not _CONTROLS.search(name + value)]
    dropped = _OF_A_CONNECTION | {*_named_by_connection(listed)}
    return [(name, value) for name, value in listed if name.lower() not in dropped]


def proxy_for(url: str) -> str | None:
    """Return the proxy through which the environment wants a server to be reached, if any."""
    parts = urlsplit(url)
    if proxy_bypass(parts.netloc):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def _named_by_connection(headers: Iterable[tuple[str, str]]) -> Iterable[str]:
    for name, value in headers:
        if name.lower() == "connection":
            yield from (one.strip().lower() for one in value.split(","))
