"""Classifies failed requests: why there is no usable reply, and whether to send it again.

No reason contains a key: everything that a server or client said is redacted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from mabench.models.server_message import ServerMessage
from mabench.models.usage import Usage
from mabench.redact import redact

_REASON_LENGTH = 300
_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ")
# Exceptions of aiohttp and httpx2 when no connection could be made.
_CONNECTION_ERRORS = {
    "ClientConnectorError",
    "ConnectionTimeoutError",
    "ConnectError",
    "ConnectTimeout",
}
# Their exceptions for an address to which nothing can be sent.
_ADDRESS_ERRORS = {"InvalidURL", "UnsupportedProtocol", "LocalProtocolError"}
# Status codes, by what they mean for the request.
_TRANSIENT = {408, 409, 425, 429}
_PUSHED_BACK = {429, 503}
_UNAVAILABLE = {401, 402, 403, 404}
PAYMENT_REQUIRED = 402
# The server does not accept the form of a request.
INVALID_REQUEST = {400, 422}
_START_AGAIN = "it is started again when the command is repeated"
_TOP_UP = "add credit to the account, or name another key or model"


class Excess(NamedTuple):
    """A prompt that is longer than the context of its model, in the server's own tokens."""

    tokens: int
    window: int


class Failure(NamedTuple):
    """Why a request has no usable reply, and what to do about it."""

    reason: str
    again: bool = True  # Whether sending it again may help.
    pushed_back: bool = False  # The server wants fewer requests.
    requested_wait: float = 0.0  # Seconds that the server asks us to wait.
    unavailable: bool = False  # The server refuses the key, the address or the model.
    # The server was not reached, broke off its reply, or had an internal error.
    silent: bool = False
    unreached: bool = False  # No connection could be made.
    adapted: bool = False  # The next request leaves out what the server refused.
    usage: Usage | None = None  # Tokens of a reply that is unusable but has to be paid for.
    server_message: ServerMessage | None = None  # What the server said about an invalid request.
    excess: Excess | None = None  # By how much the prompt is too long for the context.
    remedy: str | None = None  # What the user can do if it is unavailable or unreached.

    @classmethod
    def unpaid(cls, reason: str) -> Failure:
        """Return the failure of a request whose account is empty; all later requests fail, too."""
        return cls(reason, again=False, unavailable=True, remedy=_TOP_UP)

    @classmethod
    def of_ended_server(cls) -> Failure:
        """Return the failure of a request to a server of mabench's own that is gone."""
        reason = "its process on this machine has ended, perhaps for lack of memory"
        return cls(reason, again=False, unavailable=True, remedy=_START_AGAIN)

    @classmethod
    def of_error(cls, error: Exception, seconds: float | None = None) -> Failure:
        """Return the failure for an exception of an HTTP client.

        ``seconds`` is the time limit of the request, which a ``TimeoutError`` mentions.
        """
        causes = _chain(error)
        kinds = _class_names(causes)
        if not kinds.isdisjoint(_ADDRESS_ERRORS):
            return cls("requests cannot be sent to this address", again=False, unreached=True)
        # aiohttp's own classes tell most reliably whether there was a connection.
        by_aiohttp = [cause for cause in causes if type(cause).__module__.startswith("aiohttp")]
        if not _class_names(by_aiohttp or causes).isdisjoint(_CONNECTION_ERRORS):
            if "gaierror" in kinds:
                reason = "the host name cannot be resolved"
            elif "ConnectionRefusedError" in kinds:
                reason = "the connection is refused"
            else:
                reason = f"no connection: {_describe_error(causes[-1])}"
            return cls(reason, silent=True, unreached=True)
        if isinstance(error, TimeoutError) and seconds is not None:
            reason = f"no complete reply within {seconds:g} s"
        else:
            reason = f"the reply broke off or is not HTTP: {_describe_error(causes[-1])}"
        return cls(reason, silent=True)

    def behind_proxy(self, proxy: str, host: str) -> Failure:
        """Return this failure with the blame on the proxy that the request went through.

        ``proxy`` is the environment variable and its value; ``host`` is the server's.
        """
        remedy = f"correct {proxy}, or add {host} to NO_PROXY"
        return self._replace(reason=f"the proxy of {proxy}: {self.reason}", remedy=remedy)

    @classmethod
    def of_status(cls, reason: str, status: int, headers: Mapping[str, str]) -> Failure:
        """Return the failure of a request that a server answered with an error status."""
        if status == PAYMENT_REQUIRED:
            return cls.unpaid(reason)
        return cls(
            reason,
            again=status in _TRANSIENT or status >= 500,
            pushed_back=status in _PUSHED_BACK,
            requested_wait=_requested_wait(headers),
            unavailable=status in _UNAVAILABLE,
            silent=status >= 500,
        )


def describe_excess(sender: str, longest: int) -> str:
    """Return a message that a reply is longer than the allowed number of bytes."""
    return f"{sender} sent a reply of more than {longest:,} bytes"


def _requested_wait(headers: Mapping[str, str]) -> float:
    """Return the seconds that a server asks us to wait, from 0.

    ``retry-after`` is a number of seconds or a date (RFC 9110 §10.2.3). Some servers also send
    ``retry-after-ms``, which is more precise.
    """
    # Each form that is there and can be read takes the place of those before.
    wait = 0.0
    with suppress(KeyError, ValueError):
        wait = parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time()
    for name, unit in (("retry-after", 1.0), ("retry-after-ms", 0.001)):
        with suppress(KeyError, ValueError):
            wait = float(headers[name]) * unit
    return max(0.0, wait)


def _chain(error: BaseException) -> list[BaseException]:
    """Return an exception and, after it, the exceptions that caused it."""
    chain = [error]
    while cause := chain[-1].__cause__ or chain[-1].__context__:
        chain.append(cause)
    return chain


def _class_names(errors: Iterable[BaseException]) -> set[str]:
    """Return the names of the classes of some exceptions, base classes included."""
    return {kind.__name__ for error in errors for kind in type(error).__mro__}


def _describe_error(error: BaseException) -> str:
    """Return the message of an exception in one line, or its class if it has none."""
    # aiohttp's ``message`` leaves out status and address; it may be an object instead of a text.
    text = getattr(error, "message", str(error))
    if not isinstance(text, str):
        text = ""
    line = " ".join(_ERROR_NUMBER.sub("", redact(text)).split())
    return line[:_REASON_LENGTH] or type(error).__name__
