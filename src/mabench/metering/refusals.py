"""Errors of ours, which memories get in place of a model's reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mabench.errors import require

if TYPE_CHECKING:
    from aiohttp.web import Response


def refuse(status: int, message: str) -> Response:
    """Return an error of ours, as OpenAI's clients read errors; they do not send the call again."""
    web = require("aiohttp.web", "openai")
    error = {"message": f"mabench: {message}", "type": "mabench", "code": None, "param": None}
    never = {"x-should-retry": "false"}
    return web.json_response({"error": error}, status=status, headers=never)  # type: ignore[no-any-return]
