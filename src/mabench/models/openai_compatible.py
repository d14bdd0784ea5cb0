"""A client for any server that speaks OpenAI's chat completions.

OpenAI, vLLM, Ollama, llama.cpp, ``transformers serve`` and many others do. The openai package
sends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mabench.errors import require
from mabench.models.dialect import Dialect, refused_parameter
from mabench.models.sending.completion import Failure, completed
from mabench.models.server import ModelServer, refusal
from mabench.models.spec import ModelAddress, ModelRequest, Reply
from mabench.specs.model import RetryPolicy

if TYPE_CHECKING:
    from openai import APIStatusError

_PATH = "/chat/completions"


class OpenAICompatible:
    """A model on a server that speaks OpenAI's chat completions.

    Args:
        name: the model's name on the server.
        base_url: the server; else ``OPENAI_BASE_URL``, else OpenAI's own.
        retry: how long connecting and replies may take, and how long replies may be.

    Attributes:
        dialect: which parameters the server takes, learnt from its refusals.

    Raises:
        MissingPackageError: when the openai package is not installed.
        UsageError: when OpenAI's own server is meant and ``OPENAI_API_KEY`` is not set, or the
            URL holds a password.
    """

    def __init__(
        self, name: str, *, base_url: str | None = None, retry: RetryPolicy | None = None
    ) -> None:
        self.name = name
        self.dialect = Dialect()
        self._server = ModelServer(base_url, retry or RetryPolicy())
        self.base_url = self._server.base_url
        self._refused = require("openai", "openai").APIStatusError

    async def send(self, request: ModelRequest) -> Reply | Failure:
        """Return what came of a request."""
        arguments = self.dialect.arguments(self.name, request)
        try:
            body = await self._server.post(_PATH, arguments)
        except self._refused as error:
            return self._adapted(error, arguments) or refusal(error)
        return body if isinstance(body, Failure) else _read(request, body)

    def address(self) -> ModelAddress:
        """Return where the model is reached, for a library that calls it."""
        return ModelAddress(self.name, self._server.url, self._server.key)

    async def close(self) -> None:
        """Give connections back; they are opened again when they are needed."""
        await self._server.close()

    def _adapted(self, error: APIStatusError, sent: dict[str, Any]) -> Failure | None:
        """Learn which parameter is refused, once for all requests that were sent with it."""
        if error.status_code not in (400, 422):
            return None
        refused = refused_parameter(sent, error.param, error.message)
        if refused is None:
            return None
        self.dialect = self.dialect.without(refused)
        return Failure(f"{refused} is refused", adapted=True)


def _read(request: ModelRequest, body: Any) -> Reply | Failure:
    """Read the body of a chat completion; servers differ in how much of it they fill."""
    counts = _counts(body)
    try:
        choice = body["choices"][0]
        text, cut = choice["message"].get("content"), choice.get("finish_reason") == "length"
    except (AttributeError, IndexError, KeyError, TypeError):
        paid = None if None in counts else completed(request, None, counts)
        lacking = Failure("the reply holds no message")
        return lacking._replace(paid=paid.paid) if isinstance(paid, Failure) else lacking
    return completed(request, text, counts, cut, _cached(body))


def _counts(body: Any) -> tuple[object, object]:
    """Return the tokens of request and reply as the server counts them."""
    usage = body.get("usage") if isinstance(body, dict) else None
    if not usage:
        return None, None
    if not isinstance(usage, dict):
        return usage, usage  # No numbers, which is an error.
    return usage.get("prompt_tokens"), usage.get("completion_tokens")


def _cached(body: Any) -> object:
    """Return how many tokens of the request the server says that it had kept; None if it does not.

    OpenAI's ``usage.prompt_tokens_details.cached_tokens``.
    """
    usage = body.get("usage")
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    return details.get("cached_tokens") if isinstance(details, dict) else None
