"""Where a language model is reached, what is sent to it, what comes back and what goes wrong."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from mabench.errors import MabenchError, UsageError
from mabench.models.server_words import ServerWords
from mabench.models.usage import Usage
from mabench.redact import redact
from mabench.specs.model import check_server

_REASON_LENGTH = 300
_HEADER = re.compile(r"[!-~]*")  # What a header can hold of a key.
_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ")
# What aiohttp and httpx2 call a connection that was never made.
_UNREACHED = {"ClientConnectorError", "ConnectionTimeoutError", "ConnectError", "ConnectTimeout"}
# What they raise for an address to which nothing can be sent.
_NO_ADDRESS = {"InvalidURL", "UnsupportedProtocol", "LocalProtocolError"}
_TRANSIENT = {408, 409, 425, 429}
_PUSHED_BACK = {429, 503}
_UNAVAILABLE = {401, 402, 403, 404}
PAYMENT_REQUIRED = 402
_TOP_UP = "add credit to the account, or name another key or model"


class ModelError(MabenchError):
    """A language model gave no usable reply, in however many attempts."""


class ModelUnavailableError(ModelError):
    """No request will get a reply: the server is not there, or refuses the key or the model."""


class ReplyNotKeptError(ModelUnavailableError):
    """Only kept replies are used, and the reply to a request is not kept."""


class ModelStoppedError(ModelError):
    """The request was not sent, or was given up, since whoever asks is stopping."""

    def __init__(self, message: str = "no more requests are sent to the model") -> None:
        super().__init__(message)


class ModelAddress(NamedTuple):
    """Where a language model is reached, by OpenAI's protocol."""

    name: str | None  # On the server; None where the memory chooses.
    base_url: str = "https://api.openai.com/v1"
    api_key: str = "none"  # Where there is none.

    @classmethod
    def find(cls, name: str | None, base_url: str | None) -> ModelAddress:
        """Return where a model is: ``base_url``, else ``OPENAI_BASE_URL``, else OpenAI's server."""
        base_url = (base_url or os.environ.get("OPENAI_BASE_URL") or "").strip()
        if base_url:
            check_server(base_url, "base_url")
        key = header_from("OPENAI_API_KEY")
        if not key and not base_url:
            raise UsageError(
                "no OPENAI_API_KEY in the environment; set it, or set OPENAI_BASE_URL for a server "
                "that needs none"
            )
        given = {"base_url": base_url, "api_key": key}
        return cls(name, **{part: value for part, value in given.items() if value})

    def setting(self) -> dict[str, str] | None:
        """Return what a factory is given as ``model``; None where no model is named."""
        return None if self.name is None else dict(self._asdict())

    def environment(self) -> dict[str, str]:
        """Return the variables by which OpenAI's clients find it."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.api_key}


def header_from(variable: str) -> str:
    """Return an environment variable whose value becomes a header, without white space around it.

    Raises:
        UsageError: when a header cannot hold the value.
    """
    value = os.environ.get(variable, "").strip()
    if not _HEADER.fullmatch(value):
        raise UsageError(
            f"{variable} holds white space or a character that is not ASCII, which no key has; "
            "set it again"
        )
    return value


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
    words: ServerWords | None = None  # Of a server that refuses the form of the request.
    remedy: str | None = None  # What helps with a server that is unavailable or unreached.

    @classmethod
    def unpaid(cls, reason: str) -> Failure:
        """Return the failure of a request whose account is empty: all further ones fail, too."""
        return cls(reason, again=False, unavailable=True, remedy=_TOP_UP)

    @classmethod
    def of_error(cls, error: Exception, seconds: float | None = None) -> Failure:
        """Return the failure of a request that an HTTP client could not carry out, by its error.

        ``seconds`` is how long it may take, where it was ended after that time.
        """
        causes: list[BaseException] = [error]
        while cause := causes[-1].__cause__ or causes[-1].__context__:
            causes.append(cause)
        kinds = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
        if not kinds.isdisjoint(_NO_ADDRESS):
            return cls("requests cannot be sent to this address", again=False, unreached=True)
        own = [cause for cause in causes if type(cause).__module__.startswith("aiohttp")]
        raised = {kind.__name__ for cause in own or causes for kind in type(cause).__mro__}
        if not raised.isdisjoint(_UNREACHED):
            reason = f"no connection: {_describe_error(causes[-1])}"
            if "gaierror" in kinds:
                reason = "the host name cannot be resolved"
            elif "ConnectionRefusedError" in kinds:
                reason = "the connection is refused"
            return cls(reason, silent=True, unreached=True)
        reason = f"the reply broke off or is not HTTP: {_describe_error(causes[-1])}"
        if isinstance(error, TimeoutError) and seconds is not None:
            reason = f"no complete reply within {seconds:g} s"
        return cls(reason, silent=True)

    def behind_proxy(self, proxy: str, host: str) -> Failure:
        """Return the same failure of a request that had to go through a proxy, which is to blame.

        ``proxy`` is its address and the variable that names it.
        """
        remedy = f"correct {proxy}, or add {host} to NO_PROXY"
        return self._replace(reason=f"the proxy of {proxy}: {self.reason}", remedy=remedy)

    @classmethod
    def of_status(cls, reason: str, status: int, headers: Mapping[str, str]) -> Failure:
        """Return the failure of a request that a server answered with the status of an error."""
        if status == PAYMENT_REQUIRED:
            return cls.unpaid(reason)
        wait = 0.0
        # Seconds or a date (RFC 9110 §10.2.3); some servers send ``retry-after-ms`` beside it.
        with suppress(KeyError, ValueError):
            wait = parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time()
        for name, unit in (("retry-after", 1.0), ("retry-after-ms", 0.001)):
            with suppress(KeyError, ValueError):
                wait = float(headers[name]) * unit
        return cls(
            reason,
            again=status in _TRANSIENT or status >= 500,
            pushed_back=status in _PUSHED_BACK,
            requested_wait=max(0.0, wait),
            unavailable=status in _UNAVAILABLE,
            silent=status >= 500,
        )


def too_long(sender: str, longest: int) -> str:
    """Return in words that a reply is longer than so many bytes."""
    return f"{sender} sent a reply of more than {longest:,} bytes"


def _describe_error(error: BaseException) -> str:
    text = getattr(error, "message", str(error))  # aiohttp's, without status and address.
    text = text if isinstance(text, str) else ""  # A head, where the rest was cut off.
    line = " ".join(_ERROR_NUMBER.sub("", redact(text)).split())
    return line[:_REASON_LENGTH] or type(error).__name__
