"""From what a user names to a model that can be asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mabench.errors import UsageError
from mabench.models.interfaces import Model, Reply, Request
from mabench.models.limit import AdaptiveLimit
from mabench.models.litellm_model import LiteLLMModel
from mabench.models.openai_compatible import OpenAICompatible
from mabench.models.prices import Price, load_prices, price_of
from mabench.models.response_cache import Cached, ResponseCache
from mabench.models.retry import RetryPolicy

_OPENAI = "openai/"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that an agent reads with, and how it is asked.

    Attributes:
        name: ``openai/NAME`` for OpenAI or any server that speaks as it does; any other
            ``provider/name`` through litellm, unless a server is given.
        base_url: the server; else ``OPENAI_BASE_URL``.
        temperature: 0 for the likeliest answer.
        seed: passed on when given.
        in_flight: how many requests may be in flight at most.
        prices: a TOML file of prices; the shipped ones when None.
        cache: whether replies are kept: None for when the temperature is 0.
        window: the context window in tokens, instead of the listed one.
    """

    name: str
    base_url: str | None = None
    temperature: float = 0.0
    seed: int | None = None
    in_flight: int = 16
    prices: Path | None = None
    cache: bool | None = None
    window: int | None = None


class ReadingModel:
    """A model as agents use it: asked with a prompt and an answer budget, and priced.

    Attributes:
        name: the model's name, as the user gave it.
        price: what its tokens cost, None if unknown.
        window: how many tokens it takes at a time, None if unknown.
    """

    def __init__(self, choice: ModelChoice, model: Model, price: Price | None) -> None:
        self.name = choice.name
        self.price = price
        self.window = choice.window or (price.window if price else None)
        self._choice = choice
        self._model = model

    def address(self) -> Mapping[str, str]:
        """Return where the model is reached, for a memory that asks it by itself.

        A mapping with ``name``, ``base_url`` and ``api_key``.

        Raises:
            UsageError: when the model is not reached by OpenAI's protocol.
        """
        client = self._model.model if isinstance(self._model, Cached) else self._model
        if not isinstance(client, OpenAICompatible):
            raise UsageError(
                f"{self.name} does not speak as OpenAI does, which this memory's own requests "
                "need; name an openai/ model, or a server with --base-url"
            )
        return client.address()

    async def reply(self, prompt: str, max_tokens: int) -> Reply:
        """Return the reply to a prompt.

        Raises:
            ModelError: when there is none.
        """
        choice = self._choice
        return await self._model.reply(Request(prompt, max_tokens, choice.temperature, choice.seed))

    def cost(self, reply: Reply) -> float | None:
        """Return what a reply costs in US dollars, kept or not; None if prices are unknown."""
        if self.price is None:
            return None
        return self.price.cost(reply.input_tokens, reply.output_tokens)

    async def close(self) -> None:
        """Close the client and the cache."""
        await self._model.close()


def make_model(choice: ModelChoice, patience: RetryPolicy | None = None) -> ReadingModel:
    """Return the model that ``choice`` names.

    Raises:
        MissingPackageError: when the package that it takes is not installed.
        UsageError: when there is no key for it, or the prices cannot be read.
    """
    price = price_of(choice.name, load_prices(choice.prices))
    client = _client(choice, AdaptiveLimit(choice.in_flight), patience)
    keeps = choice.temperature == 0 if choice.cache is None else choice.cache
    model: Model = Cached(client, ResponseCache(), client.base_url) if keeps else client
    return ReadingModel(choice, model, price)


def _client(
    choice: ModelChoice, limit: AdaptiveLimit, patience: RetryPolicy | None
) -> OpenAICompatible | LiteLLMModel:
    server = choice.base_url or os.environ.get("OPENAI_BASE_URL") or None
    if choice.name.startswith(_OPENAI) or server or "/" not in choice.name:
        name = choice.name.removeprefix(_OPENAI)
        return OpenAICompatible(name, base_url=server, limit=limit, patience=patience)
    return LiteLLMModel(choice.name, limit=limit, patience=patience)


def described(choice: ModelChoice) -> Mapping[str, object]:
    """Return what a run records of its model: all that its answers depend on."""
    return {"name": choice.name, "temperature": choice.temperature, "seed": choice.seed}
