"""What a chat model is sent, and what it replies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mabench.models.usage import Usage


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What is sent to a model; together with the model it determines the reply."""

    prompt: str
    max_tokens: int
    temperature: float = 0.0
    seed: int | None = None  # Servers that know seeds then repeat their replies.
    attempt: int = 0  # How many replies to the same prompt could not be used.
    system: str = ""

    @property
    def arguments(self) -> dict[str, Any]:
        """Messages and settings of a chat, as OpenAI's protocol has them; None is not sent."""
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
    cut_off: bool = False  # It broke off because all tokens that it was allowed were used.
    cached: bool = False  # It is the reply to an earlier request, and costs nothing now.
    kept_as: str | None = field(default=None, compare=False)  # Its name in the cache.
