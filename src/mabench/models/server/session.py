"""The HTTP connections to a model's server, over which each request is sent exactly once.

It works with every server that speaks OpenAI's protocol, such as vLLM, Ollama, llama.cpp and
litellm's proxy. It must never send a request again by itself or follow a redirect: nobody would
count the first, and the second would hand prompts and key to somebody else.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mabench.errors import MabenchError, require
from mabench.models.address import ModelAddress, header_from
from mabench.models.failure import Failure, describe_excess
from mabench.models.server.outcomes import describe_redirection, describe_refusal, parse_reply
from mabench.models.server.proxies import Proxies, name_proxy
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

if TYPE_CHECKING:
    from ssl import SSLContext

    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, ClientSession

# Seconds after which an idle connection is closed. Servers close theirs at some time, and a request
# that is sent at that moment is lost.
_IDLE = 2.0
_JSON_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "User-Agent": "mabench",
}
# OpenAI's headers for who pays, and the environment variables for them.
_PAYERS = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
_REDIRECTS = {301, 302, 303, 307, 308}


class LostReplyError(MabenchError):
    """There is no reply, or only a part of one; ``failure`` says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class ModelServer:
    """A server that speaks OpenAI's protocol; one event loop uses it until it is closed.

    Raises:
        MissingPackageError: when aiohttp is not installed.
    """

    def __init__(self, address: ModelAddress, retry: RetryPolicy) -> None:
        self._aiohttp = require("aiohttp", "openai")
        self._url = require("yarl", "openai").URL
        self._retry = retry
        self._base = address.base_url.rstrip("/")
        self._key = address.api_key
        self._is_own = address.own is not None  # Whether mabench started the server itself.
        self._payers = {name: header_from(variable) for name, variable in _PAYERS.items()}
        self._proxies = Proxies(bypassed=self._is_own)
        self._session: ClientSession | None = None

    async def post(self, path: str, content: dict[str, Any]) -> Any:
        """Send JSON once; return the JSON of the reply, or a ``Failure``."""
        headers = [(name, value) for name, value in (_JSON_HEADERS | self._payers).items() if value]
        try:
            async with await self.send("POST", path, headers, json.dumps(content)) as reply:
                encoding = reply.headers.get("Content-Encoding", "identity")
                # The length of a compressed reply is not known before it is unpacked.
                if encoding != "identity":
                    reason = f"{self._base} sent a reply packed as {encoding[:20]}, unasked"
                    return Failure(redact(reason), again=False)
                if reply.status in _REDIRECTS and "Location" in reply.headers:
                    return describe_redirection(f"{self._base}/{path}", reply.headers["Location"])
                longest = self._retry.longest_reply
                body = b"".join([part async for part in self.read(reply, longest)])
        except LostReplyError as lost:
            return lost.failure
        if reply.status >= 300:
            return describe_refusal(reply, body)
        return parse_reply(body)

    async def send(
        self, method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes | str
    ) -> ClientResponse:
        """Send a request with our key, and return the reply before its body is read.

        Raises:
            LostReplyError: when no reply comes.
        """
        url = f"{self._base}/{target}"
        # Uncompressed, so that the meter can read the reply while it passes it on.
        headers = [*headers, ("Accept-Encoding", "identity")]
        if self._key not in ("", "none"):
            headers.append(("Authorization", f"Bearer {self._key}"))
        try:
            reply = await self._open_session().request(
                method,
                self._url(url, encoded=True),
                headers=headers,
                data=body or None,
                allow_redirects=False,
                proxy=self._proxies.find(url),
            )
        except Exception as error:
            raise self._lost(error, url) from error
        if reply.status < 200:
            reply.close()
            raise LostReplyError(
                Failure(f"the status {reply.status} is not a valid reply", silent=True)
            )
        return reply

    async def read(self, reply: ClientResponse, longest: int) -> AsyncIterator[bytes]:
        """Yield the body of a reply piece by piece, as it arrives.

        Raises:
            LostReplyError: when it breaks off, or has more than ``longest`` bytes.
        """
        length = 0
        try:
            async for content in reply.content.iter_any():
                length += len(content)
                if length > longest:
                    raise LostReplyError(Failure(describe_excess(self._base, longest), again=False))
                yield content
        except Exception as error:
            raise self._lost(error) from error

    async def close(self) -> None:
        """Close all connections; the next request opens new ones."""
        session = self._session
        self._session = None
        if session is not None:
            await session.close()

    def _open_session(self) -> ClientSession:
        """Return the open session, or open one."""
        if self._session is None:
            aiohttp, retry = self._aiohttp, self._retry
            tls = _trusted_certificates() if self._base.startswith("https") else True
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE, ssl=tls),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(
                    total=retry.timeout, sock_connect=min(retry.connect, retry.timeout)
                ),
                middlewares=(self._send_once,),
                auto_decompress=False,
                skip_auto_headers=("User-Agent", "Content-Type", "Accept"),
            )
        return self._session

    async def _send_once(
        self, request: ClientRequest, handler: ClientHandlerType
    ) -> ClientResponse:
        """Keep aiohttp from retrying a request by itself: nobody would count the retry.

        aiohttp retries on its own exceptions only, so all of them become another one.
        """
        try:
            return await handler(request)
        except Exception as error:
            raise self._lost(error) from error

    def _lost(self, error: Exception, url: str | None = None) -> LostReplyError:
        """Return the ``LostReplyError`` for an exception of the HTTP client.

        ``url`` is given if the request may not have reached the server, so that the proxy may be
        to blame.
        """
        if isinstance(error, LostReplyError):
            lost = error
        else:
            lost = LostReplyError(Failure.of_error(error, self._retry.timeout))
        if not lost.failure.unreached:
            return lost
        if self._is_own:
            return LostReplyError(Failure.of_ended_server())
        proxy = self._proxies.find(url) if url else None
        is_explained = lost.failure.remedy is not None
        if url and proxy and not is_explained:
            parts = urlsplit(url)
            proxy_name = name_proxy(parts.scheme, proxy)
            return LostReplyError(lost.failure.behind_proxy(proxy_name, parts.hostname or ""))
        return lost


def _trusted_certificates() -> SSLContext:
    import httpx2  # Takes long to load, and a server on this machine has no certificate.

    return httpx2.create_ssl_context()
