"""Where a language model is reached, what is sent to it, what comes back and what goes wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mabench.errors import MabenchError
from mabench.models.usage import Usage


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
    """Where a language model is reached, by OpenAI's protocol."""

    name: str | None  # On the server; None where the memory chooses.
    base_url: str = "https://api.openai.com/v1"
    api_key: str = "none"  # Where nothing is known.

    @property
    def key(self) -> str | None:
        """The key, where there is one."""
        return None if self.api_key == "none" else self.api_key

    def setting(self) -> dict[str, str] | None:
        """Return what a factory is given as ``model``; None where no model is named."""
        return None if self.name is None else dict(self._asdict())

    def environment(self) -> dict[str, str]:
        """Return the variables by which OpenAI's clients find it."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.api_key}


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
    def messages(self) -> list[dict[str, str]]:
        """The messages of a chat, as OpenAI's protocol has them."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": self.prompt}]


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply and the tokens that it took."""

    text: str
    usage: Usage
    cached: bool = False  # It is the reply to an earlier request, and costs nothing now.
    kept_as: str | None = field(default=None, compare=False)  # Its name in the cache.


class Failure(NamedTuple):
    """Why a request has no usable reply, and what to do about it."""

    reason: str
    again: bool = True  # Sending it again may help.
    pushed_back: bool = False  # The server demands fewer requests.
    requested_wait: float = 0.0  # Seconds.
    unavailable: bool = False  # The server refuses the key, the address or the model.
    silent: bool = False  # The server gave no answer: it was not reached, broke off or failed.
    unreached: bool = False  # There was no connection to it.
    adapted: bool = False  # Something was refused that the next request puts otherwise.
    usage: Usage | None = None  # Of a reply that is of no use, but is paid for.
    error: Mapping[str, Any] | None = None  # Of a server that refuses the form of the request.
