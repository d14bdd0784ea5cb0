"""What mabench sends to a language model, and what it gets back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mabench.errors import MabenchError


class ModelError(MabenchError):
    """A language model gave no usable reply, in however many attempts."""


class ModelUnavailableError(ModelError):
    """The server refuses all our requests: the key is wrong, or it does not have the model."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What is sent to a model; together with the model it determines the reply.

    Attributes:
        prompt: the user's message.
        max_tokens: the longest reply, in tokens of the model.
        temperature: 0 for the likeliest reply.
        seed: passed on when given; servers that know seeds then repeat their replies.
        attempt: how many replies to the same prompt could not be used.
    """

    prompt: str
    max_tokens: int
    temperature: float = 0.0
    seed: int | None = None
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply and the tokens that it took.

    Attributes:
        text: the reply.
        input_tokens, output_tokens: tokens of the request and of the reply.
        estimated: whether the tokens are our estimate, since the server did not count.
        cached: whether it is the cached reply to an earlier request, which costs nothing now.
    """

    text: str
    input_tokens: int
    output_tokens: int
    estimated: bool = False
    cached: bool = False


class Model(Protocol):
    """A language model behind some client.

    Attributes:
        name: stands beside every figure that depends on the model.
    """

    name: str

    async def reply(self, request: ModelRequest) -> Reply:
        """Return the model's reply.

        Raises:
            ModelError: when there is none, after all attempts.
            ModelUnavailableError: when there will never be one.
        """
        ...

    async def close(self) -> None:
        """Give connections back."""
        ...
