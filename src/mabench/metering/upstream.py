"""The server of the models: where calls are passed on to, and with which key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mabench.errors import require
from mabench.metering.headers import Headers, proxy_for, sent
from mabench.models.spec import ModelAddress

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

_CONNECT = 10.0  # Seconds.
_READ = 600.0  # Seconds between two pieces of a reply.
# Seconds that a connection may lie idle: servers close theirs, and what is sent then is lost.
_IDLE = 2.0


class Upstream:
    """Sends to a server; one event loop uses it.

    Args:
        address: the server, with the real key.
    """

    def __init__(self, address: ModelAddress) -> None:
        self._aiohttp = require("aiohttp", "openai")
        self._url = require("yarl", "openai").URL
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
            aiohttp.ClientError, TimeoutError, OSError: when there is no reply.
        """
        return await self._opened().request(
            method,
            self._url(f"{self._base}/{target}", encoded=True),
            headers=sent(headers, self._key),
            data=body or None,
            allow_redirects=False,  # They would get prompts and key.
            proxy=self._proxy,
        )

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
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=_READ),
                auto_decompress=False,
                skip_auto_headers=("User-Agent", "Content-Type", "Accept"),
            )
        return self._session
