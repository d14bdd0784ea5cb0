"""Our own error replies to memories, in place of a model's reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mabench.errors import require

if TYPE_CHECKING:
    from aiohttp.web import Response


def refuse(status: int, message: str) -> Response:
    """Return an error reply that OpenAI's clients understand and do not retry."""
    web = require("aiohttp.web", "openai")
    error = {"message": f"mabench: {message}", "type": "mabench", "code": None, "param": None}
    no_retry = {"x-should-retry": "false"}
    return web.json_response({"error": error}, status=status, headers=no_retry)  # type: ignore[no-any-return]
