"""Which parameters a server takes, as it is learnt from its refusals."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from mabench.models.spec import ModelRequest

_REFUSED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed"
    r"|extra inputs|extra_forbidden|only the default",
    re.IGNORECASE,
)
# A budget that is too large says nothing about the name of the budget.
_TOO_LARGE = re.compile(r"too large|context length|maximum context|at most", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a request is put to one server.

    Attributes:
        length: the name of the budget; newer models of OpenAI's refuse ``max_tokens``.
        temperature, seed: whether the server takes them.
    """

    length: str = "max_tokens"
    temperature: bool = True
    seed: bool = True

    def arguments(self, model: str, request: ModelRequest) -> dict[str, Any]:
        """Return the body of a chat completion."""
        arguments = {
            "model": model,
            "messages": request.messages,
            self.length: request.max_tokens,
            "temperature": request.temperature if self.temperature else None,
            "seed": request.seed if self.seed else None,
        }
        return {name: value for name, value in arguments.items() if value is not None}

    def without(self, refused: str) -> Dialect:
        """Return the dialect that does without a parameter; the same where that is impossible."""
        if refused == "max_tokens":
            return replace(self, length="max_completion_tokens")
        if refused == "temperature":
            return replace(self, temperature=False)
        return replace(self, seed=False) if refused == "seed" else self


def refused_parameter(sent: dict[str, Any], param: object, message: str) -> str | None:
    """Return which parameter a server refuses; None when its error is about something else.

    Args:
        sent: the body of the request.
        param: the parameter that the error names in a field of its own, if it does.
        message: the text of the error.
    """
    if _TOO_LARGE.search(message):
        return None
    known = [name for name in ("max_tokens", "temperature", "seed") if name in sent]
    if param in known:
        return str(param)
    if not _REFUSED.search(message):
        return None
    # The one that is named first is refused; others are named as a remedy.
    places = {name: re.search(rf"\b{name}\b", message) for name in known}
    found = {name: place.start() for name, place in places.items() if place}
    return min(found, key=found.__getitem__, default=None)
