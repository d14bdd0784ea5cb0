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
    """Where a language model is reached, by OpenAI's protocol.

    Attributes:
        name: the model's name on the server; None where the memory chooses.
        base_url: the server; OpenAI's own where nobody names one.
        api_key: the key that it takes; ``none`` where nothing is known.
    """

    name: str | None
    base_url: str = "https://api.openai.com/v1"
    api_key: str = "none"

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


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply and the tokens that it took.

    Attributes:
        text: the reply.
        usage: the tokens.
        cached: whether it is the cached reply to an earlier request, which costs nothing now.
        kept_as: the name under which it is cached; None where it is not.
    """

    text: str
    usage: Usage
    cached: bool = False
    kept_as: str | None = field(default=None, compare=False)


class Failure(NamedTuple):
    """Why a request has no usable reply, and what to do about it.

    Attributes:
        reason: why, in words.
        again: whether sending it again may help.
        pushed_back: whether the server demands fewer requests.
        requested_wait: the seconds that the server asks us to wait.
        unavailable: whether the server refuses the key, the address or the model.
        silent: whether the server gave no answer: it was not reached, broke off or failed.
        unreached: whether there was no connection to it.
        adapted: whether something was refused that the next request puts otherwise.
        usage: the tokens of a reply that is of no use, but is paid for.
        error: the error of a server that refuses the form of the request, as it sent it.
    """

    reason: str
    again: bool = True
    pushed_back: bool = False
    requested_wait: float = 0.0
    unavailable: bool = False
    silent: bool = False
    unreached: bool = False
    adapted: bool = False
    usage: Usage | None = None
    error: Mapping[str, Any] | None = None


_TRANSIENT = {408, 409, 425, 429}
_PUSHED_BACK = {429, 503}
_UNAVAILABLE = {401, 403, 404}


def failure_of_status(reason: str, status: int, requested_wait: float | None) -> Failure:
    """Return the failure of a request that a server answered with the status of an error."""
    return Failure(
        reason,
        again=status in _TRANSIENT or status >= 500,
        pushed_back=status in _PUSHED_BACK,
        requested_wait=requested_wait or 0.0,
        unavailable=status in _UNAVAILABLE,
        silent=status >= 500,
    )
