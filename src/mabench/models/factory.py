"""From the description of a model to one that can be prompted, for readers and judges alike."""

from __future__ import annotations

from collections.abc import Mapping

from mabench.errors import UsageError
from mabench.models.interfaces import Model, ModelRequest, Reply
from mabench.models.limit import AdaptiveLimit
from mabench.models.litellm_model import LiteLLMModel
from mabench.models.openai_compatible import OpenAICompatible
from mabench.models.prices import Price, load_prices, price_of
from mabench.models.response_cache import Cached, ResponseCache
from mabench.models.retry import RetryPolicy
from mabench.models.spec import ModelSpec


class ReadingModel:
    """A language model as readers and judges use it: prompted, priced, and cached.

    Attributes:
        name: the model's name, as the user gave it.
        price: what its tokens cost, None if unknown.
        window: how many tokens it takes at a time, None if unknown.
        spent: US dollars paid for its replies since it was opened; cached replies cost nothing,
            and neither do those of a model without a price.
    """

    def __init__(self, spec: ModelSpec, model: Model, price: Price | None) -> None:
        self.name = spec.name
        self.price = price
        self.window = spec.window or (price.window if price else None)
        self.spent = 0.0
        self._spec = spec
        self._model = model

    def address(self) -> Mapping[str, str]:
        """Return where the model is reached, for a memory that calls it by itself.

        A mapping with ``name``, ``base_url`` and ``api_key``.

        Raises:
            UsageError: when the model is not reached by OpenAI's protocol.
        """
        client = self._model.model if isinstance(self._model, Cached) else self._model
        if not isinstance(client, OpenAICompatible):
            raise UsageError(
                f"{self.name} does not speak OpenAI's protocol, which this memory's own requests "
                "need; name an openai/ model, or a server with `base_url`",
                parameter="model",
            )
        return client.address()

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
        request = ModelRequest(prompt, max_tokens, warmth, spec.seed, attempt)
        reply = await self._model.reply(request)
        if not reply.cached:
            self.spent += self.cost(reply) or 0.0
        return reply

    def cost(self, reply: Reply) -> float | None:
        """Return what a reply costs in US dollars, cached or not; None if prices are unknown."""
        if self.price is None:
            return None
        return self.price.cost(reply.input_tokens, reply.output_tokens)

    async def close(self) -> None:
        """Close the client and the cache."""
        await self._model.close()


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
    cached = Cached(client, ResponseCache(), client.base_url) if spec.keeps_replies else None
    return ReadingModel(spec, cached or client, price)
