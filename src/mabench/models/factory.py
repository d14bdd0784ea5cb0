"""From the description of a model to one that can be prompted, for readers and judges alike."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from weakref import WeakValueDictionary

from mabench.errors import UsageError
from mabench.json_text import without_surrogates
from mabench.models.litellm_model import LiteLLMModel
from mabench.models.openai_compatible import OpenAICompatible
from mabench.models.pacing import AdaptiveLimit, RetryPolicy
from mabench.models.prices import Price, load_prices, price_of
from mabench.models.response_cache import ResponseCache, request_key
from mabench.models.spec import ModelRequest, ModelSpec, Reply


class ReadingModel:
    """A language model as readers and judges use it: prompted, priced, and cached.

    No request is sent twice when there is a ``cache``.

    Attributes:
        name: the model's name, as the user gave it.
        price: what its tokens cost, None if unknown.
        window: how many tokens it takes at a time, None if unknown.
        spent: US dollars paid for its replies since it was opened; cached replies cost nothing,
            and neither do those of a model without a price.
    """

    def __init__(
        self,
        spec: ModelSpec,
        client: OpenAICompatible | LiteLLMModel,
        price: Price | None = None,
        cache: ResponseCache | None = None,
    ) -> None:
        self.name = spec.name
        self.price = price
        self.window = spec.window or (price.window if price else None)
        self.spent = 0.0
        self._spec = spec
        self._client = client
        self._cache = cache
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def address(self) -> Mapping[str, str]:
        """Return where the model is reached, for a memory that calls it by itself.

        A mapping with ``name``, ``base_url`` and ``api_key``.

        Raises:
            UsageError: when the model is not reached by OpenAI's protocol.
        """
        if not isinstance(self._client, OpenAICompatible):
            raise UsageError(
                f"{self.name} does not speak OpenAI's protocol, which this memory's own requests "
                "need; name an openai/ model, or a server with `base_url`",
                parameter="model",
            )
        return self._client.address()

    async def reply(
        self, prompt: str, max_tokens: int, *, temperature: float | None = None, attempt: int = 0
    ) -> Reply:
        """Return the reply to a prompt.

        Args:
            prompt: the user's message.
            max_tokens: the longest reply, in tokens of the model.
            temperature: instead of the model's own.
            attempt: how many replies to this prompt were of no use; each number is a new request,
                which the cache does not answer with the reply to an earlier one.

        Raises:
            ModelError: when there is none.
        """
        spec = self._spec
        warmth = spec.temperature if temperature is None else temperature
        request = ModelRequest(without_surrogates(prompt), max_tokens, warmth, spec.seed, attempt)
        reply = await self._kept(request)
        if not reply.cached:
            self.spent += self.cost(reply) or 0.0
        return reply

    async def _kept(self, request: ModelRequest) -> Reply:
        """Return the cached reply, else the model's, which is cached before it is returned."""
        if self._cache is None:
            return await self._client.reply(request)
        key = request_key(self._client.name, self._client.base_url, request)
        async with self._locks.setdefault(key, asyncio.Lock()):  # Equal requests wait for one.
            reply = self._cache.get(key)
            if reply is None:
                reply = await self._client.reply(request)
                self._cache.put(key, reply)
            return reply

    def cost(self, reply: Reply) -> float | None:
        """Return what a reply costs in US dollars, cached or not; None if prices are unknown."""
        price = self.price
        return price.cost(reply.input_tokens, reply.output_tokens) if price else None

    async def close(self) -> None:
        """Close the client and the cache."""
        await self._client.close()
        if self._cache is not None:
            self._cache.close()


def open_model(spec: ModelSpec, retry: RetryPolicy | None = None) -> ReadingModel:
    """Return the model that ``spec`` describes.

    Args:
        spec: the model.
        retry: how often and how slowly failed requests are sent again.

    Raises:
        MissingPackageError: when the package that it needs is not installed.
        UsageError: when there is no key for it, or the prices cannot be read.
    """
    price = price_of(spec.name, load_prices(spec.prices))
    limit = AdaptiveLimit(spec.requests_in_flight)
    client: OpenAICompatible | LiteLLMModel
    if spec.speaks_openai:
        client = OpenAICompatible(
            spec.name_on_server, base_url=spec.server, limit=limit, retry=retry
        )
    else:
        client = LiteLLMModel(spec.name, limit=limit, retry=retry)
    return ReadingModel(spec, client, price, ResponseCache() if spec.keeps_replies else None)
