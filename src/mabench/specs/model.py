"""The one description of a language model, and the settings that other parts share with it."""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from random import uniform
from typing import ClassVar
from urllib.parse import urlsplit

from mabench.errors import UsageError
from mabench.redact import redact_url
from mabench.settings import RunPart, SettingGroup

_OPENAI = "openai/"
# Models on this machine: the one that a package brings, and any file of the user's.
LOCAL, GGUF_PREFIX = "local", "gguf:"
_ENDPOINT = "/chat/completions"
_REQUESTS_IN_FLIGHT = 16  # By default, to a server.
_model, _cost, _limits, _parallel = map(SettingGroup, ("Models", "Cost", "Limits", "Parallel"))


@dataclass(frozen=True)
class RetryPolicy:
    """Back-off between attempts, in seconds."""

    # How often a request is sent at most while the server answers others; while it answers none, a
    # request is sent until ``patience`` is over.
    attempts: int = 8
    first: float = 0.5  # The wait after the first failure; it doubles with each further one.
    longest: float = 30.0  # The longest wait of our own choice.
    longest_requested: float = 600.0  # When a server requests a longer wait, the request fails.
    timeout: float = 600.0  # How long a request may take, to the last byte of its reply.
    longest_reply: int = 1 << 25  # How many bytes a reply may have.
    connect: float = 10.0  # How long connecting to the server may take.
    patience: float = 300.0  # How long it may answer no request before we stop asking.

    def wait(self, failures: int) -> float:
        """Return the wait after this many failures, drawn at random from its upper half.

        Jitter keeps clients that failed together from coming back together.
        """
        doublings = min(failures - 1, 60)  # A larger power may overflow.
        whole = min(self.longest, self.first * 2.0**doublings)
        return uniform(whole / 2, whole)  # noqa: S311 - nothing here is secret


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplySpec(RunPart):
    """What replies of models cost, which are kept, and which kept ones are used again."""

    prices: Path | None = _cost(None, "A TOML file of prices by model; default: mabench's.", "FILE")
    cache: bool | None = _cost(
        None, "Cache all model replies; default: readers' and judges', at temperature 0."
    )
    replay: Path | None = _cost(
        None, "Send nothing: use the replies cached in this folder.", "FOLDER"
    )

    def settle(self) -> None:
        """Refuse a cache beside what is replayed, whose folder becomes absolute."""
        if self.replay is not None:
            if self.cache is not None:
                raise UsageError("`replay` sends nothing: leave out `cache`", parameter="replay")
            object.__setattr__(self, "replay", Path(self.replay).absolute())


@dataclass(frozen=True, slots=True)
class ModelSpec(ReplySpec):
    """A language model that reads or judges.

    It is one of OpenAI, or of a server that speaks OpenAI's protocol, or it is served on this
    machine: ``local``, or ``gguf:PATH`` for a file.

    When ``cache`` is None, replies to readers and judges are kept at temperature 0; when True, so
    are those to the memory's own calls. ``reply_seconds`` hold to the last byte of a reply, for
    requests of a memory that calls the model by itself, too; ``reply_bytes`` limit its length.
    """

    parameter: ClassVar[str] = "model"
    seconds_a_reply: ClassVar[float] = 2.0  # An assumption of estimates.

    name: str = field(
        metadata=_model.without_default(
            "The language model: openai/NAME, a name on its server, local, or gguf:PATH.",
            "NAME",
            "model",
        )
    )
    _: KW_ONLY
    base_url: str | None = _model(None, "The model's server; default: OPENAI_BASE_URL.", "URL")
    temperature: float = _model(
        0.0, "Sampling temperature; 0: the most likely answer.", "T", minimum=0
    )
    seed: int | None = _model(None, "A seed for the model.", "N", "model_seed")
    window: int | None = _model(
        None,
        "The model's context window, in tokens; default: from the table of prices, or at most 8192 "
        "of a local model.",
        "N",
        minimum=1,
    )
    requests_in_flight: int | None = _parallel(
        None,
        "Concurrent requests; default: 16, fewer while a server is overloaded, or 1 of a local "
        "model.",
        "N",
        minimum=1,
    )
    reply_seconds: float = _limits(
        RetryPolicy.timeout, "Time limit for a model's reply.", "SECONDS", "reply_timeout", above=0
    )
    reply_bytes: int = RetryPolicy.longest_reply

    def settle(self) -> None:
        """Refuse a server of a local model, and a file without a path."""
        ReplySpec.settle(self)  # With slots, `super()` finds another class.
        if self.name == GGUF_PREFIX:
            raise UsageError(f"name the file as {GGUF_PREFIX}PATH", parameter="model")
        if self.is_local and self.base_url:
            raise UsageError(
                f"the model {self.name!r} is served on this machine by mabench itself: leave out "
                "`base_url`",
                parameter="model.base_url",
            )

    @property
    def is_local(self) -> bool:
        """Whether mabench itself serves it, on this machine."""
        return is_local(self.name)

    @property
    def concurrent_requests(self) -> int:
        """How many requests are sent at a time; of a local model, as many as it has slots."""
        return self.requests_in_flight or (1 if self.is_local else _REQUESTS_IN_FLIGHT)

    @property
    def server(self) -> str | None:
        """The server's address; None for the provider's own, and for one of mabench's."""
        if self.is_local:
            return None
        return (self.base_url or os.environ.get("OPENAI_BASE_URL") or "").strip() or None

    @property
    def lacks_server(self) -> bool:
        """Whether the name is of another provider than OpenAI, and no server is given."""
        has_server = self.is_local or self.server is not None
        is_of_other = "/" in self.name and not self.name.startswith(_OPENAI)
        return is_of_other and not has_server

    @property
    def name_on_server(self) -> str:
        """The name that the server knows the model by."""
        if self.is_local and self.name != LOCAL:
            return f"{GGUF_PREFIX}{Path(self.name.removeprefix(GGUF_PREFIX)).name}"
        return self.name.removeprefix(_OPENAI)

    @property
    def retry(self) -> RetryPolicy:
        """How often and how slowly failed requests are sent again, and what ends them."""
        return RetryPolicy(timeout=self.reply_seconds, longest_reply=self.reply_bytes)

    @property
    def keeps_replies(self) -> bool:
        """Whether replies are cached."""
        return self.temperature == 0 if self.cache is None else self.cache


def is_local(name: str) -> bool:
    """Return whether a name is of a model that mabench itself serves, on this machine."""
    return name == LOCAL or name.startswith(GGUF_PREFIX)


def check_server(url: str, model: str | None = None) -> None:
    """Raise a ``UsageError`` for what is no URL of a server.

    ``model`` is the parameter that gave the URL, if the server is one of models. Such a URL takes
    no user and password, which would be sent beside the key, and no endpoint.
    """
    safe = redact_url(url)  # A server may repeat what is secret in it.
    try:
        parts = urlsplit(url)
        if model is not None and "@" in parts.netloc:
            raise UsageError(
                f"{safe}: the URL of a model takes no user and password; set OPENAI_API_KEY to "
                "what the server asks for",
                parameter=model,
            )
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # As of an IPv6 address without its bracket, or a port that is no number.
        is_address = False
    if is_address and model and parts.path.rstrip("/").endswith(_ENDPOINT):
        base = url.rstrip("/").removesuffix(_ENDPOINT)
        problem = f"{url} is the address of one endpoint; leave {_ENDPOINT} out: {base}"
        raise UsageError(problem, parameter=model)
    if not is_address or parts.query or parts.fragment:
        example = f"http://HOST:PORT{'/v1' if model else ''}"
        problem = f"{safe!r} is no address of a server; write it as {example}"
        raise UsageError(problem, parameter=model)
