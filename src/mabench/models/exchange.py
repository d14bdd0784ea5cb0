"""Why a request over HTTP has no good reply: whatever a server sends, or not, is a failure."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime

from mabench.models.spec import Failure
from mabench.redact import redact

_REASON_LENGTH = 300
_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ")
# What aiohttp and httpx2 call a connection that was never made.
_UNREACHED = {"ClientConnectorError", "ConnectionTimeoutError", "ConnectError", "ConnectTimeout"}
# What they raise for an address to which nothing can be sent.
_NO_ADDRESS = {"InvalidURL", "UnsupportedProtocol", "LocalProtocolError"}
_TRANSIENT = {408, 409, 425, 429}
_PUSHED_BACK = {429, 503}
_UNAVAILABLE = {401, 403, 404}


def too_long(sender: str, longest: int) -> str:
    """Return in words that a reply is longer than so many bytes."""
    return f"{sender} sent a reply of more than {longest:,} bytes"


def lost_reply(error: Exception, seconds: float | None = None) -> Failure:
    """Return the failure of a request that an HTTP client could not carry out, by its error.

    ``seconds`` is how long it may take, where it was ended after that time.
    """
    causes: list[BaseException] = [error]
    while cause := causes[-1].__cause__ or causes[-1].__context__:
        causes.append(cause)
    kinds = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
    if not kinds.isdisjoint(_NO_ADDRESS):
        return Failure("nothing can be sent to this address", again=False, unreached=True)
    own = [cause for cause in causes if type(cause).__module__.startswith("aiohttp")]
    raised = {kind.__name__ for cause in own or causes for kind in type(cause).__mro__}
    if not raised.isdisjoint(_UNREACHED):
        reason = f"no connection: {_describe_error(causes[-1])}"
        if "gaierror" in kinds:
            reason = "the name of the host cannot be resolved"
        elif "ConnectionRefusedError" in kinds:
            reason = "the connection is refused"
        return Failure(reason, silent=True, unreached=True)
    reason = f"the reply broke off or is no HTTP: {_describe_error(causes[-1])}"
    if isinstance(error, TimeoutError) and seconds is not None:
        reason = f"no whole reply within {seconds:g} s"
    return Failure(reason, silent=True)


def _describe_error(error: BaseException) -> str:
    text = getattr(error, "message", str(error))  # aiohttp's, without status and address.
    text = text if isinstance(text, str) else ""  # A head, where the rest was cut off.
    line = " ".join(_ERROR_NUMBER.sub("", redact(text)).split())
    return line[:_REASON_LENGTH] or type(error).__name__


def failure_of_status(reason: str, status: int, headers: Mapping[str, str]) -> Failure:
    """Return the failure of a request that a server answered with the status of an error."""
    return Failure(
        reason,
        again=status in _TRANSIENT or status >= 500,
        pushed_back=status in _PUSHED_BACK,
        requested_wait=_requested_wait(headers),
        unavailable=status in _UNAVAILABLE,
        silent=status >= 500,
    )


def _requested_wait(headers: Mapping[str, str]) -> float:
    # Seconds or a date (RFC 9110 §10.2.3); some servers send ``retry-after-ms`` beside it.
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            return max(0.0, float(headers[name]) * unit)
    with suppress(KeyError, ValueError):
        return max(0.0, parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    return 0.0
