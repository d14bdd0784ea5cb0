"""The headers of requests and replies that are passed on, and those that are not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

# They are for one connection alone (RFC 9110 §7.6.1), or are set anew.
_CONNECTION_HEADERS = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding"}
    | {"upgrade", "proxy-authenticate", "proxy-authorization", "content-length", "host", "expect"}
)
_STRIPPED_HEADERS = frozenset(
    {"authorization", "accept-encoding", "api-key", "x-api-key", "cookie"}
)
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def select_request_headers(headers: Any) -> list[tuple[str, str]]:
    """Return what is passed on of a memory's headers: no keys, and none for one connection."""
    return [
        item for item in select_reply_headers(headers) if item[0].lower() not in _STRIPPED_HEADERS
    ]


def select_reply_headers(headers: Any) -> list[tuple[str, str]]:
    """Return what is passed on of a server's headers: none that are for one connection."""
    items = [(name, value) for name, value in headers.items() if not _CONTROLS.search(name + value)]
    named = {
        word.strip().lower()
        for name, value in items
        if name.lower() == "connection"
        for word in value.split(",")
    }
    return [item for item in items if item[0].lower() not in _CONNECTION_HEADERS | named]


def set_headers(response: StreamResponse, headers: Iterable[tuple[str, str]]) -> None:
    """Give a response these headers alone."""
    response.headers.popall("Content-Type", None)  # No media type of our own.
    for name, value in headers:
        response.headers.add(name, value)
