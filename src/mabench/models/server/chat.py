"""Chat completions, for which a server is asked without what it refuses."""

from __future__ import annotations

from typing import Any

from mabench.models.address import ModelAddress
from mabench.models.failure import Failure
from mabench.models.server.completion import read_completion
from mabench.models.server.refused_parameters import find_refused_parameter
from mabench.models.server.requests import ModelRequest, Reply
from mabench.models.server.session import ModelServer
from mabench.specs.model import RetryPolicy

# Newer models of OpenAI's refuse ``max_tokens``.
_OTHER_NAMES = {"max_tokens": "max_completion_tokens"}


class ChatModel:
    """A model on a server that speaks OpenAI's chat completions; raises as ``ModelServer`` does."""

    path = "chat/completions"

    def __init__(self, address: ModelAddress, retry: RetryPolicy) -> None:
        self.address = address
        self._refused: set[str] = set()
        self._server = ModelServer(self.address, retry)
        self.close = self._server.close

    async def send(self, request: ModelRequest) -> Reply | Failure:
        """Return what came of a request; a parameter that is refused is learnt for later ones."""
        arguments: dict[str, Any] = {"model": self.address.name, **request.arguments}
        for name in self._refused:
            value = arguments.pop(name)
            if name in _OTHER_NAMES:
                arguments[_OTHER_NAMES[name]] = value
        arguments = {name: value for name, value in arguments.items() if value is not None}
        outcome = await self._server.post(self.path, arguments)
        if not isinstance(outcome, Failure):
            return read_completion(request, outcome)
        if outcome.words is not None:
            refused = find_refused_parameter(arguments, request, outcome.words)
            if refused is not None:
                self._refused = self._refused | {refused}
                return Failure(f"{refused} is refused", adapted=True)
        return outcome
