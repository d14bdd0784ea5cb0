"""Why a request to a server has no usable reply, and what to do about it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from mabench.models.server_words import ServerWords
from mabench.models.usage import Usage
from mabench.redact import redact

_REASON_LENGTH = 300
_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ")
# What aiohttp and httpx2 call a connection that was never made.
_UNREACHED = {"ClientConnectorError", "ConnectionTimeoutError", "ConnectError", "ConnectTimeout"}
# What they raise for an address to which nothing can be sent.
_NO_ADDRESS = {"InvalidURL", "UnsupportedProtocol", "LocalProtocolError"}
_TRANSIENT = {408, 409, 425, 429}
_PUSHED_BACK = {429, 503}
_UNAVAILABLE = {401, 402, 403, 404}
PAYMENT_REQUIRED = 402
_START_AGAIN = "it is started again when the command is repeated"
_TOP_UP = "add credit to the account, or name another key or model"


class Excess(NamedTuple):
    """A prompt that is longer than the context of its model, in the server's own tokens."""

    tokens: int
    window: int


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
    excess: Excess | None = None  # Of a prompt that is too long.
    remedy: str | None = None  # What helps with a server that is unavailable or unreached.

    @classmethod
    def unpaid(cls, reason: str) -> Failure:
        """Return the failure of a request whose account is empty: all further ones fail, too."""
        return cls(reason, again=False, unavailable=True, remedy=_TOP_UP)

    @classmethod
    def of_ended_server(cls) -> Failure:
        """Return the failure of a request to a server of mabench's own that is gone."""
        reason = "its process on this machine has ended, perhaps for lack of memory"
        return cls(reason, again=False, unavailable=True, remedy=_START_AGAIN)

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


def describe_excess(sender: str, longest: int) -> str:
    """Return in words that a reply is longer than the bytes that are allowed."""
    return f"{sender} sent a reply of more than {longest:,} bytes"


def _describe_error(error: BaseException) -> str:
    text = getattr(error, "message", str(error))  # aiohttp's, without status and address.
    text = text if isinstance(text, str) else ""  # A head, where the rest was cut off.
    line = " ".join(_ERROR_NUMBER.sub("", redact(text)).split())
    return line[:_REASON_LENGTH] or type(error).__name__
