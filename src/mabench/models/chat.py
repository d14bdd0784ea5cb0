"""Chat completions, as OpenAI, vLLM, Ollama, llama.cpp and many others speak them, or litellm."""

from __future__ import annotations

import asyncio
import os
import re
from typing import Any

from mabench.errors import require
from mabench.models.calls import Usage
from mabench.models.server import ModelServer
from mabench.models.spec import Failure, ModelAddress, ModelRequest, Reply
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

_ERROR_LENGTH = 300
_NO_MESSAGE = "the reply holds no message"
# Newer models of OpenAI's refuse ``max_tokens``.
_OTHER_NAMES = {"max_tokens": "max_completion_tokens"}
_REFUSED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed"
    r"|extra inputs|extra_forbidden|only the default",
    re.IGNORECASE,
)
# A budget that is too large says nothing about the name of the budget.
_TOO_LARGE = re.compile(r"too large|context length|maximum context|at most", re.IGNORECASE)


class ChatModel:
    """A model on a server that speaks OpenAI's chat completions; raises as ``ModelServer`` does."""

    path = "chat/completions"

    def __init__(
        self, name: str, *, base_url: str | None = None, retry: RetryPolicy | None = None
    ) -> None:
        self.address = ModelAddress.find(name, base_url)
        self._refused: set[str] = set()
        self._server = ModelServer(self.address, retry or RetryPolicy())

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
            return _read_completion(request, outcome)
        if error := outcome.error:
            refused = _refused_parameter(arguments, error.get("param"), str(error.get("message")))
            if refused is not None:
                self._refused = self._refused | {refused}
                return Failure(f"{refused} is refused", adapted=True)
        return outcome

    async def close(self) -> None:
        """Give connections back; they are opened again when they are needed."""
        await self._server.close()


class LiteLLMModel:
    """A model that litellm knows, by its ``provider/name``."""

    def __init__(self, name: str, *, retry: RetryPolicy | None = None) -> None:
        # Else it fetches a list of prices when it is imported.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        self._library = require("litellm", "litellm")
        self._name = name
        self._seconds = (retry or RetryPolicy()).timeout

    async def send(self, request: ModelRequest) -> Reply | Failure:
        """Return what came of a request."""
        try:
            async with asyncio.timeout(self._seconds):
                body = await self._library.acompletion(
                    model=self._name,
                    **request.arguments,
                    num_retries=0,
                    timeout=self._seconds,
                    drop_params=True,
                )
                return _read_completion(request, body.model_dump())
        except TimeoutError as error:
            return Failure.of_error(error, self._seconds)
        except Exception as error:
            reason = redact(f"{type(error).__name__}: {error}")[:_ERROR_LENGTH]
            status = getattr(error, "status_code", None)
            if not isinstance(status, int):
                return Failure(reason, silent=True)
            headers = getattr(getattr(error, "response", None), "headers", None)
            return Failure.of_status(reason, status, headers or {})

    async def close(self) -> None:
        """Nothing is held open."""


def _read_completion(request: ModelRequest, body: Any) -> Reply | Failure:
    """Read a chat completion, of which servers fill more or less; a bad one was paid for, too."""
    text: object = None
    problem, cut = "the reply is empty", False
    try:
        choice = body["choices"][0]
        text, cut = choice["message"].get("content"), choice.get("finish_reason") == "length"
        if text is not None and not isinstance(text, str):
            problem, cut = "the reply holds no text", False
    except (AttributeError, IndexError, KeyError, TypeError):
        problem = _NO_MESSAGE
    shown = text if isinstance(text, str) else ""
    wrong = None
    try:
        usage = Usage.read(body)
    except ValueError as error:
        usage, wrong = None, str(error)
    if usage is None and problem != _NO_MESSAGE:  # Else it costs nothing, unless it is counted.
        usage = Usage.estimate(request.arguments, shown)
    if wrong:
        return Failure(wrong, again=False, usage=usage)
    if usage and shown.strip():
        return Reply(shown, usage)
    if cut:
        problem += f": all {request.max_tokens} tokens went into reasoning"
    return Failure(problem, again=not cut, usage=usage)


def _refused_parameter(sent: dict[str, Any], param: object, message: str) -> str | None:
    if _TOO_LARGE.search(message):
        return None
    names = [name for name in ("max_tokens", "temperature", "seed") if name in sent]
    if param in names:
        return str(param)
    if not _REFUSED.search(message):
        return None
    # The one that is named first is refused; others are named as a remedy.
    matches = {name: re.search(rf"\b{name}\b", message) for name in names}
    places = {name: match.start() for name, match in matches.items() if match}
    return min(places, key=places.__getitem__, default=None)
