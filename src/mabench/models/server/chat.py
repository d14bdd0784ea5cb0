"""Sends chat completions, and leaves out the optional parameters that a server refuses."""

from __future__ import annotations

from typing import Any

from mabench.models.address import ModelAddress
from mabench.models.failure import Failure
from mabench.models.server.completion import read_completion
from mabench.models.server.refused_parameters import find_refused_parameter
from mabench.models.server.requests import ModelRequest, Reply
from mabench.models.server.session import ModelServer
from mabench.specs.model import RetryPolicy

# Newer names of parameters: OpenAI's newer models refuse ``max_tokens``.
_NEWER_NAMES = {"max_tokens": "max_completion_tokens"}


class ChatModel:
    """A model on a server that speaks OpenAI's chat completions.

    Raises:
        MissingPackageError: when aiohttp is not installed.
        UsageError: when the server needs a key and none is set.
    """

    path = "chat/completions"

    def __init__(self, address: ModelAddress, retry: RetryPolicy) -> None:
        self.address = address
        self._refused: set[str] = set()
        self._server = ModelServer(self.address, retry)
        self.close = self._server.close

    async def send(self, request: ModelRequest) -> Reply | Failure:
        """Send a request once; return the reply or the failure.

        A parameter that the server refuses is left out, or named anew, in all later requests.
        """
        arguments: dict[str, Any] = {"model": self.address.name, **request.arguments}
        for name in self._refused:
            value = arguments.pop(name)
            if name in _NEWER_NAMES:
                arguments[_NEWER_NAMES[name]] = value
        arguments = {name: value for name, value in arguments.items() if value is not None}
        outcome = await self._server.post(self.path, arguments)
        if not isinstance(outcome, Failure):
            return read_completion(request, outcome)
        if outcome.server_message is not None:
            refused = find_refused_parameter(arguments, request, outcome.server_message)
            if refused is not None:
                self._refused = self._refused | {refused}
                return Failure(f"{refused} is refused", adapted=True)
        return outcome
