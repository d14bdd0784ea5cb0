"""Selects the headers that are passed on between a memory and a model's server."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

# Headers for a single connection (RFC 9110 §7.6.1), and those that are set anew.
_CONNECTION_HEADERS = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding"}
    | {"upgrade", "proxy-authenticate", "proxy-authorization", "content-length", "host", "expect"}
)
# Headers that may hold a key, and one that decides the form of the reply.
_STRIPPED_HEADERS = frozenset(
    {"authorization", "accept-encoding", "api-key", "x-api-key", "cookie"}
)
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def select_request_headers(headers: Any) -> list[tuple[str, str]]:
    """Return the headers of a memory's request to pass on: no keys, none for one connection."""
    passed = select_reply_headers(headers)
    return [(name, value) for name, value in passed if name.lower() not in _STRIPPED_HEADERS]


def select_reply_headers(headers: Any) -> list[tuple[str, str]]:
    """Return the headers of a server's reply to pass on: none for one connection."""
    items = [(name, value) for name, value in headers.items() if not _CONTROLS.search(name + value)]
    excluded = set(_CONNECTION_HEADERS)
    for name, value in items:
        if name.lower() == "connection":  # It names further headers of this connection.
            excluded.update(word.strip().lower() for word in value.split(","))
    return [(name, value) for name, value in items if name.lower() not in excluded]


def set_headers(response: StreamResponse, headers: Iterable[tuple[str, str]]) -> None:
    """Give a response these headers and no others."""
    response.headers.popall("Content-Type", None)  # aiohttp's default.
    for name, value in headers:
        response.headers.add(name, value)
