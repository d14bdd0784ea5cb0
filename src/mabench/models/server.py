"""A server of models: one request is sent to it once, and whatever comes of it is said."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import httpx2

from mabench.errors import UsageError, require
from mabench.models.exchange import PLAIN_REPLIES, limiting_hooks, lost_reply, parse_json
from mabench.models.redirects import RedirectError, redirect_target
from mabench.models.sending.completion import Failure
from mabench.models.sending.pacing import retry_after
from mabench.redact import redact
from mabench.specs.model import RetryPolicy, refuse_login

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

_TRANSIENT = {408, 409, 425, 429}
_PUSHED_BACK = {429, 503}
_UNAVAILABLE = {401, 403, 404}
_MESSAGE_LENGTH = 300
# How often a path may be moved to another one of the same server.
MOST_REDIRECTS = 3


class ModelServer:
    """A server that speaks as OpenAI's does; the openai package sends.

    Args:
        base_url: its address; else ``OPENAI_BASE_URL``, else OpenAI's own.
        retry: how long connecting and replies may take, and how long replies may be.

    Attributes:
        base_url: the address; None for OpenAI's own.
        key: what it asks for; ``none`` where nothing is known.

    Raises:
        MissingPackageError: when the openai package is not installed.
        UsageError: when OpenAI's own server is meant and ``OPENAI_API_KEY`` is not set, or the
            URL holds a password.
    """

    def __init__(self, base_url: str | None, retry: RetryPolicy) -> None:
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        if self.base_url:
            refuse_login(self.base_url, "base_url")
        self._retry = retry
        self._openai = require("openai", "openai")
        require("aiohttp", "openai")
        key = os.environ.get("OPENAI_API_KEY")
        if not key and self.base_url is None:
            raise UsageError(
                "no OPENAI_API_KEY in the environment; set it, or set OPENAI_BASE_URL for a server "
                "that needs none"
            )
        self.key = key or "none"
        self._opened: AsyncOpenAI | None = None
        self._moved: list[httpx2.URL] = []

    @property
    def url(self) -> str:
        """The address in full, OpenAI's own, too."""
        return str(self._client().base_url)

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send a request, once; return the JSON of the reply, or the ``Failure`` to get one.

        Where the server has moved the path, the next request goes to the new one.

        Raises:
            openai.APIStatusError: when the status says that it was refused; see ``refusal``.
        """
        seconds = self._retry.timeout
        client = self._client()
        there = self._moved[-1] if self._moved else None
        try:
            async with asyncio.timeout(seconds):
                # The reply as it came: to read it into types takes a millisecond more.
                reply = await client.post(str(there or path), cast_to=httpx2.Response, body=body)
        except self._openai.APIStatusError as error:
            if error.response.has_redirect_location:
                return self._redirected(error.response, there)
            raise
        except Exception as error:
            return lost_reply(error, seconds)
        try:
            return parse_json(reply.content)
        except ValueError:
            return Failure("the reply is not JSON")

    async def close(self) -> None:
        """Give connections back; they are opened again when they are needed."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.close()

    def _client(self) -> AsyncOpenAI:
        """Return the client, which belongs to the event loop in which it sends first."""
        if self._opened is None:
            openai, retry = self._openai, self._retry
            timeout = openai.Timeout(retry.timeout, connect=min(retry.connect, retry.timeout))
            self._opened = openai.AsyncOpenAI(
                api_key=self.key,
                base_url=self.base_url,
                max_retries=0,
                timeout=timeout,
                default_headers=PLAIN_REPLIES,
                # Takes half the CPU time of the default where many requests are in flight.
                http_client=openai.DefaultAioHttpClient(
                    timeout=timeout,
                    follow_redirects=False,  # Each would be a request that nobody counts.
                    event_hooks=limiting_hooks(retry.longest_reply),
                ),
            )
        return self._opened

    def _redirected(self, reply: httpx2.Response, sent_to: httpx2.URL | None) -> Failure:
        """Learn where the path is now, once for all requests that were sent to the old one."""
        try:
            there = redirect_target(reply)
        except RedirectError as error:
            return Failure(redact(str(error)), again=False, unavailable=True)
        if sent_to == (self._moved[-1] if self._moved else None):
            if len(self._moved) == MOST_REDIRECTS or there == reply.request.url:
                self._moved.clear()
                reason = f"{reply.request.url.host} redirects without end"
                return Failure(reason, unreached=True)
            self._moved.append(there)
        return Failure("the server redirects to another path", adapted=True)


def refusal(error: APIStatusError) -> Failure:
    """Return the failure of a request that the server refused."""
    status = error.status_code
    return Failure(
        f"HTTP {status}: {redact(error.message)[:_MESSAGE_LENGTH]}",
        again=status in _TRANSIENT or status >= 500,
        pushed_back=status in _PUSHED_BACK,
        requested_wait=retry_after(error.response.headers),
        unavailable=status in _UNAVAILABLE,
        silent=status >= 500,
    )
