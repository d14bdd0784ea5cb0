"""A client for any server that speaks OpenAI's chat completions.

OpenAI, vLLM, Ollama, llama.cpp, ``transformers serve`` and many others do. The openai package
sends.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mabench.errors import UsageError, require
from mabench.models.dialect import Dialect, refused_parameter
from mabench.models.redirects import RedirectError, refuse_other_host
from mabench.models.sending.completion import Failure, completed
from mabench.models.sending.pacing import RetryPolicy, retry_after
from mabench.models.spec import ModelAddress, ModelRequest, Reply
from mabench.redact import redact
from mabench.specs import refuse_login

if TYPE_CHECKING:
    from openai import APIError, APIStatusError, AsyncOpenAI

_PATH = "/chat/completions"
_TRANSIENT = {408, 409, 425, 429}
_PUSHED_BACK = {429, 503}
_UNAVAILABLE = {401, 403, 404}
_MESSAGE_LENGTH = 300
# What aiohttp calls a connection that was never made.
_UNREACHED = {"ClientConnectorError", "ConnectionTimeoutError"}


class OpenAICompatible:
    """A model on a server that speaks OpenAI's chat completions.

    Args:
        name: the model's name on the server.
        base_url: the server; else ``OPENAI_BASE_URL``, else OpenAI's own.
        retry: how long connecting and replies may take.

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
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        if self.base_url:
            refuse_login(self.base_url, "base_url")
        self.dialect = Dialect()
        self._retry = retry or RetryPolicy()
        self._openai = require("openai", "openai")
        require("aiohttp", "openai")
        key = os.environ.get("OPENAI_API_KEY")
        if not key and self.base_url is None:
            raise UsageError(
                "no OPENAI_API_KEY in the environment; set it, or set OPENAI_BASE_URL for a server "
                "that needs none"
            )
        self._key = key or "none"
        self._opened: AsyncOpenAI | None = None

    async def send(self, request: ModelRequest) -> Reply | Failure:
        """Return what came of a request."""
        openai = self._openai
        arguments = self.dialect.arguments(self.name, request)
        try:
            # Plain JSON both ways: the typed form takes a millisecond more of every request.
            body = await self._client().post(_PATH, cast_to=object, body=arguments)
        except openai.APIStatusError as error:
            return self._adapted(error, arguments) or _refusal(error)
        except openai.APIError as error:
            return _no_answer(error)
        except RedirectError as error:
            return Failure(str(error), again=False, unavailable=True)
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
            return Failure("the reply is not JSON")
        except ValueError:  # aiohttp: this is no URL.
            return Failure("nothing can be sent to this address", again=False, unreached=True)
        return _read(request, body)

    def address(self) -> ModelAddress:
        """Return where the model is reached, for a library that calls it."""
        return ModelAddress(self.name, str(self._client().base_url), self._key)

    async def close(self) -> None:
        """Give connections back; they are opened again when they are needed."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.close()

    def _client(self) -> AsyncOpenAI:
        """Return the client, which belongs to the event loop in which it sends first."""
        if self._opened is None:
            openai, retry = self._openai, self._retry
            timeout = openai.Timeout(retry.timeout, connect=min(retry.connect, retry.timeout))
            self._opened = openai.AsyncOpenAI(
                api_key=self._key,
                base_url=self.base_url,
                max_retries=0,
                timeout=timeout,
                # Takes half the CPU time of the default where many requests are in flight.
                http_client=openai.DefaultAioHttpClient(
                    timeout=timeout, event_hooks={"response": [refuse_other_host]}
                ),
            )
        return self._opened

    def _adapted(self, error: APIStatusError, sent: dict[str, Any]) -> Failure | None:
        """Learn which parameter is refused, once for all requests that were sent with it."""
        if error.status_code not in (400, 422):
            return None
        refused = refused_parameter(sent, error.param, error.message)
        if refused is None:
            return None
        self.dialect = self.dialect.without(refused)
        return Failure(f"{refused} is refused", adapted=True)


def _refusal(error: APIStatusError) -> Failure:
    status = error.status_code
    return Failure(
        f"HTTP {status}: {redact(error.message)[:_MESSAGE_LENGTH]}",
        again=status in _TRANSIENT or status >= 500,
        pushed_back=status in _PUSHED_BACK,
        requested_wait=retry_after(error.response.headers),
        unavailable=status in _UNAVAILABLE,
        silent=status >= 500,
    )


def _no_answer(error: APIError) -> Failure:
    causes = [*_causes(error)]
    kinds = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
    unreached = not kinds.isdisjoint(_UNREACHED)
    said = _reason(causes) if unreached else redact(str(error))[:_MESSAGE_LENGTH]
    return Failure(said, silent=True, unreached=unreached)


def _reason(causes: list[BaseException]) -> str:
    """Return in words why there is no connection."""
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "the name of the host cannot be resolved"
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "the connection is refused"
    return redact(f"no connection: {causes[-1]}")[:_MESSAGE_LENGTH]


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


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
