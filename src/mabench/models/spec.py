"""Where a language model is reached, what is sent to it, what comes back and what goes wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mabench.errors import MabenchError


class ModelError(MabenchError):
    """A language model gave no usable reply, in however many attempts."""


class ModelUnavailableError(ModelError):
    """No request will get a reply: the server is not there, or refuses the key or the model."""


class ReplyNotKeptError(ModelUnavailableError):
    """Only kept replies are used, and the reply to a request is not kept."""


class ModelStoppedError(ModelError):
    """The request was not sent, or was given up, since whoever asks is stopping."""

    def __init__(self, message: str = "the model is asked nothing more") -> None:
        super().__init__(message)


class ModelAddress(NamedTuple):
    """Where a language model is reached, by OpenAI's protocol.

    Attributes:
        name: the model's name on the server; None where the memory chooses.
        base_url: the server.
        api_key: the key that it takes.
    """

    name: str | None
    base_url: str
    api_key: str

    def setting(self) -> dict[str, str] | None:
        """Return what a factory is given as ``model``; None where no model is named."""
        return None if self.name is None else dict(self._asdict())

    def environment(self) -> dict[str, str]:
        """Return the variables by which OpenAI's clients find it."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.api_key}


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What is sent to a model; together with the model it determines the reply.

    Attributes:
        prompt: the user's message.
        max_tokens: the longest reply, in tokens of the model.
        temperature: 0 for the likeliest reply.
        seed: passed on when given; servers that know seeds then repeat their replies.
        attempt: how many replies to the same prompt could not be used.
        system: the system message before the prompt; empty without one.
    """

    prompt: str
    max_tokens: int
    temperature: float = 0.0
    seed: int | None = None
    attempt: int = 0
    system: str = ""

    @property
    def messages(self) -> list[dict[str, str]]:
        """The messages of a chat, as OpenAI's protocol has them."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": self.prompt}]

    @property
    def text(self) -> str:
        """All that is sent, of which tokens can be estimated."""
        return f"{self.system}\n{self.prompt}" if self.system else self.prompt


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply and the tokens that it took.

    Attributes:
        text: the reply.
        input_tokens, output_tokens: tokens of the request and of the reply.
        estimated: whether the tokens are our estimate, since the server did not count.
        cached: whether it is the cached reply to an earlier request, which costs nothing now.
        cached_tokens: how many tokens of the request the server had kept.
        kept_as: the name under which it is cached; None where it is not.
    """

    text: str
    input_tokens: int
    output_tokens: int
    estimated: bool = False
    cached: bool = False
    cached_tokens: int = 0
    kept_as: str | None = field(default=None, compare=False)
