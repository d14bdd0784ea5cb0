"""The one description of a language model, what is sent to it, and what comes back."""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from mabench.errors import MabenchError, UsageError
from mabench.models.sending.pacing import RetryPolicy

_OPENAI = "openai/"


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


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A language model that reads or judges.

    Attributes:
        name: ``openai/NAME``, or a name without a provider, for OpenAI or any server that speaks
            its protocol; any other ``provider/name`` through litellm, unless a server is given.
        base_url: the server; else ``OPENAI_BASE_URL``.
        temperature: 0 for the likeliest reply.
        seed: passed on when given.
        requests_in_flight: how many requests may be in flight at most.
        prices: a TOML file of prices; the shipped ones when None.
        cache: whether replies are cached; when None, those to readers and judges are at
            temperature 0. When True, so are those to the memory's own calls.
        replay: a folder of cached replies; nothing is sent then, and no key is needed.
        window: the context window in tokens, instead of the listed one.
        reply_seconds: how long a request may take, to the last byte of its reply; requests of a
            memory that calls the model by itself, too.
        reply_bytes: how long a reply may be.
    """

    name: str
    _: KW_ONLY
    base_url: str | None = None
    temperature: float = 0.0
    seed: int | None = None
    requests_in_flight: int = 16
    prices: Path | None = None
    cache: bool | None = None
    replay: Path | None = None
    window: int | None = None
    reply_seconds: float = RetryPolicy.timeout
    reply_bytes: int = RetryPolicy.longest_reply

    def __post_init__(self) -> None:
        """Refuse to keep replies where none comes; a relative folder is of this directory."""
        for name in ("reply_seconds", "reply_bytes"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{getattr(self, name)}; give more than 0", parameter=name)
        object.__setattr__(self, "replay", checked_replay(self.replay, self.cache))

    @property
    def server(self) -> str | None:
        """The server's address; None for the provider's own."""
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or None

    @property
    def speaks_openai(self) -> bool:
        """Whether the model is reached by OpenAI's protocol; by litellm if not."""
        return self.name.startswith(_OPENAI) or "/" not in self.name or self.server is not None

    @property
    def name_on_server(self) -> str:
        """The name that the server knows the model by."""
        return self.name.removeprefix(_OPENAI)

    @property
    def retry(self) -> RetryPolicy:
        """How often and how slowly failed requests are sent again, and what ends them."""
        return RetryPolicy(timeout=self.reply_seconds, longest_reply=self.reply_bytes)

    @property
    def keeps_replies(self) -> bool:
        """Whether replies are cached."""
        return self.temperature == 0 if self.cache is None else self.cache


def checked_replay(folder: Path | None, cache: bool | None) -> Path | None:
    """Return where kept replies are read, as seen from any directory.

    Raises:
        UsageError: when replies are to be kept, too, or not to be kept.
    """
    if folder is not None and cache is not None:
        raise UsageError("`replay` sends nothing: leave out `cache`", parameter="replay")
    return folder and folder.absolute()


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
