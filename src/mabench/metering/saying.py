"""What the meter says by itself, and the headers of what it passes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mabench.errors import require
from mabench.metering.headers import Headers

if TYPE_CHECKING:
    from aiohttp.web import Response, StreamResponse


def refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error of ours, in the form in which OpenAI's clients read errors.

    They do not send the call again.
    """
    web = require("aiohttp.web", "openai")
    error = {"message": f"mabench: {message}", "type": "mabench", "code": None, "param": None}
    never = {"x-should-retry": "false", **(headers or {})}
    return web.json_response({"error": error}, status=status, headers=never)  # type: ignore[no-any-return]


def set_headers(response: StreamResponse, headers: Headers) -> None:
    """Give a response its headers, and no media type of our own."""
    response.headers.popall("Content-Type", None)
    for name, value in headers:
        response.headers.add(name, value)
