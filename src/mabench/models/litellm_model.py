"""Models of other providers, through the litellm package."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from mabench.errors import require
from mabench.models.exchange import lost_reply
from mabench.models.sending.completion import Failure, completed
from mabench.models.sending.pacing import retry_after
from mabench.models.spec import ModelRequest, Reply
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

_MESSAGE_LENGTH = 300
_TRANSIENT = {408, 409, 425, 429}
_PUSHED_BACK = {429, 503}
_UNAVAILABLE = {401, 403, 404}


class LiteLLMModel:
    """A model that litellm knows, by its ``provider/name``.

    Args:
        name: the model, as litellm names it.
        retry: how long a reply may take.

    Raises:
        MissingPackageError: when the litellm package is not installed.
    """

    def __init__(self, name: str, *, retry: RetryPolicy | None = None) -> None:
        # Else it fetches a list of prices when it is imported.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        self._library = require("litellm", "litellm")
        self.name = name
        self.base_url: str | None = None
        self._retry = retry or RetryPolicy()

    async def send(self, request: ModelRequest) -> Reply | Failure:
        """Return what came of a request."""
        seconds = self._retry.timeout
        try:
            async with asyncio.timeout(seconds):
                body = await self._library.acompletion(
                    model=self.name,
                    messages=request.messages,
                    max_tokens=request.max_tokens,
                    temperature=request.temperature,
                    seed=request.seed,
                    num_retries=0,
                    timeout=seconds,
                    drop_params=True,
                )
        except TimeoutError as error:
            return lost_reply(error, seconds)
        except Exception as error:
            return _failure(error)
        return _read(request, body)

    async def close(self) -> None:
        """Nothing is held open."""


def _failure(error: Exception) -> Failure:
    given = getattr(error, "status_code", None)
    status = given if isinstance(given, int) else None
    response = getattr(error, "response", None)
    return Failure(
        redact(f"{type(error).__name__}: {error}")[:_MESSAGE_LENGTH],
        again=status is None or status in _TRANSIENT or status >= 500,
        pushed_back=status in _PUSHED_BACK,
        requested_wait=retry_after(getattr(response, "headers", None) or {}),
        unavailable=status in _UNAVAILABLE,
        silent=status is None or status >= 500,
    )


def _read(request: ModelRequest, body: Any) -> Reply | Failure:
    try:
        text = body.choices[0].message.content
    except (AttributeError, IndexError, TypeError):
        return Failure("the reply holds no message")
    usage = getattr(body, "usage", None)
    given = getattr(usage, "prompt_tokens", None)
    details = getattr(usage, "prompt_tokens_details", None)
    counts = (given, getattr(usage, "completion_tokens", None))
    return completed(request, text, counts, cached=getattr(details, "cached_tokens", None))
