"""The server of the models: where calls are passed on to, and with which key."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from mabench.errors import MabenchError, require
from mabench.metering.headers import Headers, proxy_for, sent
from mabench.models import RetryPolicy
from mabench.models.exchange import lost_reply, too_long
from mabench.models.spec import ModelAddress

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, ClientSession

_LONGEST_REPLY = 1024**3  # Bytes; a batch of embeddings is long.
# Seconds that a connection may lie idle: servers close theirs, and what is sent then is lost.
_IDLE = 2.0


class LostReplyError(MabenchError):
    """There is no reply, or no whole one."""


class Upstream:
    """Sends to a server; one event loop uses it.

    Args:
        address: the server, with the real key.
        retry: how long connecting and replies may take.
    """

    def __init__(self, address: ModelAddress, retry: RetryPolicy) -> None:
        self._aiohttp = require("aiohttp", "openai")
        self._url = require("yarl", "openai").URL
        self._retry = retry
        self._base = address.base_url.rstrip("/")
        self._key = None if address.api_key == "none" else address.api_key
        self._proxy = proxy_for(self._base)
        self._session: ClientSession | None = None

    async def send(self, method: str, target: str, headers: Headers, body: bytes) -> ClientResponse:
        """Send a request and return its reply, of which the body has still to be read.

        Args:
            method: of HTTP.
            target: the path below the server's own, with its query.
            headers: as the memory sent them.
            body: of the request.

        Raises:
            LostReplyError: when there is no reply.
        """
        try:
            reply = await self._opened().request(
                method,
                self._url(f"{self._base}/{target}", encoded=True),
                headers=sent(headers, self._key),
                data=body or None,
                allow_redirects=False,  # They would get prompts and key.
                proxy=self._proxy,
            )
        except Exception as error:
            raise self._lost(error) from error
        if reply.status < 200:
            reply.close()
            raise LostReplyError(f"the status {reply.status} is no reply")
        return reply

    async def read(
        self, reply: ClientResponse, longest: int = _LONGEST_REPLY
    ) -> AsyncIterator[bytes]:
        """Yield the body of a reply as it comes.

        Raises:
            LostReplyError: when it breaks off, takes too long or is longer than ``longest`` bytes.
        """
        length = 0
        try:
            async for content in reply.content.iter_any():
                length += len(content)
                if length > longest:
                    raise LostReplyError(too_long("it", longest))
                yield content
        except LostReplyError:
            raise
        except Exception as error:
            raise self._lost(error) from error

    async def close(self) -> None:
        """Give connections back."""
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> ClientSession:
        if self._session is None:
            aiohttp = self._aiohttp
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(
                    total=self._retry.timeout, sock_connect=self._retry.connect
                ),
                middlewares=(self._send_once,),
                auto_decompress=False,
                skip_auto_headers=("User-Agent", "Content-Type", "Accept"),
            )
        return self._session

    async def _send_once(
        self, request: ClientRequest, handler: ClientHandlerType
    ) -> ClientResponse:
        """Keep aiohttp from sending a request again by itself, which nobody would count."""
        try:
            return await handler(request)
        except Exception as error:
            raise self._lost(error) from error

    def _lost(self, error: Exception) -> LostReplyError:
        if isinstance(error, LostReplyError):
            return error
        return LostReplyError(lost_reply(error, self._retry.timeout).reason)
