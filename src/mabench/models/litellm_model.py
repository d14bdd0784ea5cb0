"""Models of other providers, through the litellm package."""

from __future__ import annotations

import os
from typing import Any

from mabench.errors import require
from mabench.models.pacing import AdaptiveLimit, RetryPolicy
from mabench.models.spec import ModelError, ModelRequest, ModelUnavailableError, Reply
from mabench.redact import redact
from mabench.text import estimate_tokens

_MESSAGE_LENGTH = 300


class LiteLLMModel:
    """A model that litellm knows, by its ``provider/name``.

    Args:
        name: the model, as litellm names it.
        limit: how many requests may be in flight.
        retry: how often and how slowly failed requests are sent again.

    Raises:
        MissingPackageError: when the litellm package is not installed.
    """

    base_url = None

    def __init__(
        self, name: str, *, limit: AdaptiveLimit, retry: RetryPolicy | None = None
    ) -> None:
        # Else it fetches a list of prices when it is imported.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        self._library = require("litellm", "litellm")
        self.name = name
        self.limit = limit
        self._retry = retry or RetryPolicy()

    async def reply(self, request: ModelRequest) -> Reply:
        """Return the model's reply; litellm sends again while that may help.

        Raises:
            ModelError: when there is none.
            ModelUnavailableError: when the provider knows neither us nor the model.
        """
        async with self.limit.slot():
            try:
                body = await self._library.acompletion(
                    model=self.name,
                    messages=request.messages,
                    max_tokens=request.max_tokens,
                    temperature=request.temperature,
                    seed=request.seed,
                    num_retries=self._retry.attempts - 1,
                    timeout=self._retry.timeout,
                    drop_params=True,
                )
            except Exception as error:
                message = redact(f"{self.name}: {type(error).__name__}: {error}")[:_MESSAGE_LENGTH]
                if getattr(error, "status_code", None) in (401, 403, 404):
                    raise ModelUnavailableError(message) from error
                raise ModelError(message) from error
            self.limit.succeeded()
        return self._read(request, body)

    async def close(self) -> None:
        """Nothing is held open."""

    def _read(self, request: ModelRequest, body: Any) -> Reply:
        text = body.choices[0].message.content
        if not text:
            raise ModelError(f"{self.name}: the reply is empty")
        usage = getattr(body, "usage", None)
        if usage is None:
            tokens = estimate_tokens(request.text), estimate_tokens(text)
            return Reply(text, *tokens, estimated=True)
        return Reply(text, usage.prompt_tokens, usage.completion_tokens)
