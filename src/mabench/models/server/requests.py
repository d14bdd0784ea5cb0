"""A request to a chat model, and the reply to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mabench.models.usage import Usage


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a chat model; with the model's name it determines the cached reply."""

    prompt: str
    max_tokens: int
    temperature: float = 0.0
    seed: int | None = None  # Servers that support seeds repeat their replies.
    attempt: int = 0  # The number of unusable replies to the same prompt so far.
    system: str = ""

    @property
    def arguments(self) -> dict[str, Any]:
        """The request in OpenAI's protocol; parameters that are None must not be sent."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return {
            "messages": [*system, {"role": "user", "content": self.prompt}],
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply and the tokens that it took."""

    text: str
    usage: Usage
    cut_off: bool = False  # It broke off because it reached the limit of tokens.
    cached: bool = False  # It came from the cache and costs nothing.
    kept_as: str | None = field(default=None, compare=False)  # Its key in the cache.
