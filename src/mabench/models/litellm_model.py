"""Models of other providers, through the litellm package."""

from __future__ import annotations

import asyncio
import os

from mabench.errors import require
from mabench.models.chat import read_completion
from mabench.models.exchange import lost_reply
from mabench.models.pacing import retry_after
from mabench.models.spec import Failure, ModelRequest, Reply, failure_of_status
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

_MESSAGE_LENGTH = 300


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
        self._name = name
        self._seconds = (retry or RetryPolicy()).timeout

    async def send(self, request: ModelRequest) -> Reply | Failure:
        """Return what came of a request."""
        try:
            async with asyncio.timeout(self._seconds):
                body = await self._library.acompletion(
                    model=self._name,
                    messages=request.messages,
                    max_tokens=request.max_tokens,
                    temperature=request.temperature,
                    seed=request.seed,
                    num_retries=0,
                    timeout=self._seconds,
                    drop_params=True,
                )
                return read_completion(request, body.model_dump())
        except TimeoutError as error:
            return lost_reply(error, self._seconds)
        except Exception as error:
            return _failure(error)

    async def close(self) -> None:
        """Nothing is held open."""


def _failure(error: Exception) -> Failure:
    reason = redact(f"{type(error).__name__}: {error}")[:_MESSAGE_LENGTH]
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return Failure(reason, silent=True)
    headers = getattr(getattr(error, "response", None), "headers", None)
    return failure_of_status(reason, status, retry_after(headers or {}))
