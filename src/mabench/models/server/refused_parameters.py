"""Which optional parameter of a request a server of models refuses, by its own words."""

from __future__ import annotations

import re
from typing import Any

from mabench.models.server.requests import ModelRequest
from mabench.models.server_words import ServerWords

# What a request can do without: the server then takes its own default.
_OPTIONAL = ("max_tokens", "temperature", "seed")
# A budget that is too large says nothing about the name of the budget.
_TOO_LARGE = re.compile(
    r"too large|too long|context (length|window)|maximum context|at most|less than|exceed",
    re.IGNORECASE,
)


def find_refused_parameter(
    sent: dict[str, Any], request: ModelRequest, words: ServerWords
) -> str | None:
    """Return the optional parameter that a server refuses, by the name that it gives.

    A message may repeat the prompt: a word that occurs there names no parameter.
    """
    if _TOO_LARGE.search(words.message):
        return None
    names = [name for name in _OPTIONAL if name in sent]
    named = next((name for name in words.parameters if name in names), None)
    if named is not None:
        return named
    prompt = f"{request.system} {request.prompt}".lower()
    # The one that is named first is refused; others are named as a remedy.
    matches = {
        name: re.search(rf"\b{name}\b", words.message, re.IGNORECASE)
        for name in names
        if name not in prompt
    }
    places = {name: match.start() for name, match in matches.items() if match}
    return min(places, key=places.__getitem__, default=None)
