"""Finds the optional parameter that a model's server refuses, in the server's message."""

from __future__ import annotations

import re
from typing import Any

from mabench.models.server.requests import ModelRequest
from mabench.models.server_message import ServerMessage

# Parameters that a request can leave out: the server then uses its own default.
_OPTIONAL = ("max_tokens", "temperature", "seed")
# Complaints about the size of ``max_tokens``, which do not say that its name is refused.
_TOO_LARGE = re.compile(
    r"too large|too long|context (length|window)|maximum context|at most|less than|exceed",
    re.IGNORECASE,
)


def find_refused_parameter(
    sent: dict[str, Any], request: ModelRequest, message: ServerMessage
) -> str | None:
    """Return the optional parameter that the server's message names as refused; None without any.

    ``sent`` is the body of the request. The message may repeat the prompt, so a parameter whose
    name occurs in the prompt is not looked for in the message.
    """
    if _TOO_LARGE.search(message.text):
        return None
    names = [name for name in _OPTIONAL if name in sent]
    for parameter in message.parameters:
        if parameter in names:
            return parameter
    prompt = f"{request.system} {request.prompt}".lower()
    places = {}  # Where in the message a parameter is named.
    for name in names:
        match = re.search(rf"\b{name}\b", message.text, re.IGNORECASE)
        if match and name not in prompt:
            places[name] = match.start()
    # The first one named is refused; others are suggested in its place.
    return min(places, key=lambda name: places[name], default=None)
