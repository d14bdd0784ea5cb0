"""A client for any server that speaks OpenAI's chat completions.

OpenAI, vLLM, Ollama, llama.cpp, ``transformers serve`` and many others do. The openai package
sends; retries are done here, because a malformed or empty reply must be retried too, and because
all requests share one limit that learns from each refusal.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from mabench.errors import UsageError, require
from mabench.models.pacing import AdaptiveLimit, RetryPolicy, retry_after
from mabench.models.redirects import RedirectError, refuse_other_host
from mabench.models.spec import ModelError, ModelRequest, ModelUnavailableError, Reply
from mabench.redact import note_secrets, redact
from mabench.text import estimate_tokens

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

_PATH = "/chat/completions"
_TRANSIENT = {408, 409, 425, 429}
_PUSHED_BACK = {429, 503}
_UNAVAILABLE = {401, 403, 404}
_MESSAGE_LENGTH = 300


class _Failure(NamedTuple):
    """Why a request failed, and what to do about it."""

    reason: str
    again: bool
    pushed_back: bool = False
    requested_wait: float | None = None
    unavailable: bool = False


class OpenAICompatible:
    """A model on a server that speaks OpenAI's chat completions.

    Args:
        name: the model's name on the server.
        base_url: the server; else ``OPENAI_BASE_URL``, else OpenAI's own.
        limit: how many requests may be in flight, shared by all clients that it is passed to.
        retry: how often and how slowly failed requests are sent again.

    Raises:
        MissingPackageError: when the openai package is not installed.
        UsageError: when OpenAI's own server is meant and ``OPENAI_API_KEY`` is not set, or the
            URL holds a password.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        limit: AdaptiveLimit | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.name = name
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        _check_url(self.base_url or "")
        self.limit = limit or AdaptiveLimit(8)
        self._retry = retry or RetryPolicy()
        openai = require("openai", "openai")
        require("aiohttp", "openai")
        key = os.environ.get("OPENAI_API_KEY")
        if not key and self.base_url is None:
            raise UsageError(
                "no OPENAI_API_KEY in the environment; set it, or set OPENAI_BASE_URL for a server "
                "that needs none"
            )
        timeout = self._retry.timeout
        self._client: AsyncOpenAI = openai.AsyncOpenAI(
            api_key=key or "none",
            base_url=self.base_url,
            max_retries=0,
            timeout=timeout,
            # Takes half the CPU time of the default where many requests are in flight.
            http_client=openai.DefaultAioHttpClient(
                timeout=timeout, event_hooks={"response": [refuse_other_host]}
            ),
        )
        # Newer models of OpenAI's refuse these two as they stand; learnt from their refusal.
        self._length_name = "max_tokens"
        self._takes_temperature = True

    async def reply(self, request: ModelRequest) -> Reply:
        """Return the model's reply, after as many attempts as may help.

        Raises:
            ModelError: when there is none, naming the last failure; never the key.
            ModelUnavailableError: when the server knows neither us nor the model.
        """
        failures = 0
        while True:
            async with self.limit.slot() as admitted:
                outcome = await self._send(request)
                if isinstance(outcome, Reply):
                    self.limit.succeeded()
                    return outcome
                failures += 1
                wait = self._next_wait(outcome, failures)
                if outcome.pushed_back:
                    self.limit.pushed_back(admitted, wait)
            if not outcome.pushed_back:
                await asyncio.sleep(wait)

    def address(self) -> dict[str, str]:
        """Return ``name``, ``base_url`` and ``api_key``, for a library that calls it."""
        url = str(self._client.base_url)
        return {"name": self.name, "base_url": url, "api_key": self._client.api_key}

    async def close(self) -> None:
        """Give connections back."""
        await self._client.close()

    def _next_wait(self, failure: _Failure, failures: int) -> float:
        """Return how long to wait before the next attempt; raise when it is no use."""
        reason = redact(f"{self.name}: {failure.reason}")
        if failure.unavailable:
            raise ModelUnavailableError(f"{reason}; look at key, address and name of the model")
        if not failure.again:
            raise ModelError(reason)
        if failures >= self._retry.attempts:
            raise ModelError(f"{reason} (asked {failures} times)")
        requested = failure.requested_wait or 0.0
        if requested > self._retry.longest_requested:
            raise ModelError(f"{reason} (the server asks to wait {requested:.0f} s)")
        return max(requested, self._retry.wait(failures))

    async def _send(self, request: ModelRequest) -> Reply | _Failure:
        import openai

        try:
            # Plain JSON both ways: the typed form takes a millisecond more of every request.
            body = await self._client.post(_PATH, cast_to=object, body=self._arguments(request))
            return _read(request, body)
        except openai.BadRequestError as error:
            return self._adapted(error) or _failure(error)
        except openai.APIError as error:
            return _failure(error)
        except RedirectError as error:
            return _Failure(str(error), again=False, unavailable=True)
        except ValueError:
            return _Failure("the reply is not JSON", again=True)

    def _arguments(self, request: ModelRequest) -> dict[str, Any]:
        arguments = {
            "model": self.name,
            "messages": [{"role": "user", "content": request.prompt}],
            self._length_name: request.max_tokens,
            "temperature": request.temperature if self._takes_temperature else None,
            "seed": request.seed,
        }
        return {name: value for name, value in arguments.items() if value is not None}

    def _adapted(self, error: APIError) -> _Failure | None:
        """Learn which parameter the model refuses; None when nothing was learnt."""
        if error.param == "max_tokens" and self._length_name == "max_tokens":
            self._length_name = "max_completion_tokens"
        elif error.param == "temperature" and self._takes_temperature:
            self._takes_temperature = False
        else:
            return None
        return _Failure(f"{error.param} is refused", again=True)


def _check_url(url: str) -> None:
    """Raise a ``UsageError`` for a URL with user and password, which would stand beside the key."""
    note_secrets(url)
    if "@" in urlsplit(url).netloc:
        raise UsageError(
            f"{url}: the URL of a model takes no user and password; set OPENAI_API_KEY to what the "
            "server asks for",
            parameter="base_url",
        )


def _failure(error: APIError) -> _Failure:
    import openai

    if not isinstance(error, openai.APIStatusError):
        return _Failure(redact(str(error))[:_MESSAGE_LENGTH], again=True)
    status = error.status_code
    return _Failure(
        f"HTTP {status}: {redact(error.message)[:_MESSAGE_LENGTH]}",
        again=status in _TRANSIENT or status >= 500,
        pushed_back=status in _PUSHED_BACK,
        requested_wait=retry_after(error.response.headers),
        unavailable=status in _UNAVAILABLE,
    )


def _read(request: ModelRequest, body: Any) -> Reply | _Failure:
    """Read the body of a chat completion; servers differ in how much of it they fill."""
    try:
        choice = body["choices"][0]
        text = choice["message"].get("content") or ""
        usage = body.get("usage") or {}
    except (AttributeError, IndexError, KeyError, TypeError):
        return _Failure("the reply holds no message", again=True)
    if not isinstance(text, str):
        return _Failure("the reply holds no text", again=True)
    if not text.strip():
        cut = choice.get("finish_reason") == "length"
        limit = f"the reply is empty: all {request.max_tokens} tokens went into reasoning"
        return _Failure(limit if cut else "the reply is empty", again=not cut)
    given, generated = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if isinstance(given, int) and isinstance(generated, int):
        return Reply(text, given, generated)
    return Reply(text, estimate_tokens(request.prompt), estimate_tokens(text), estimated=True)
