"""The connections to a server of models, over which a request is sent once.

OpenAI, vLLM, Ollama, llama.cpp, litellm's proxy and many others speak its chat completions.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2

from mabench.errors import MabenchError, require
from mabench.models.address import ModelAddress, header_from
from mabench.models.failure import Failure, describe_excess
from mabench.models.server.outcomes import describe_redirection, describe_refusal, parse_reply
from mabench.models.server.proxies import Proxies, name_proxy
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, ClientSession

# Seconds that a connection may lie idle: servers close theirs, and what is sent then is lost.
_IDLE = 2.0
_JSON = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "mabench"}
# Who pays, in OpenAI's words.
_PAYERS = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
_REDIRECTS = {301, 302, 303, 307, 308}


class LostReplyError(MabenchError):
    """There is no reply, or no whole one; ``failure`` says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class ModelServer:
    """A server that speaks as OpenAI's does; one event loop uses it until it is closed."""

    def __init__(self, address: ModelAddress, retry: RetryPolicy) -> None:
        self._aiohttp = require("aiohttp", "openai")
        self._url = require("yarl", "openai").URL
        self._retry = retry
        self._base = address.base_url.rstrip("/")
        self._key = address.api_key
        self._is_own = address.own is not None
        self._payers = {name: header_from(variable) for name, variable in _PAYERS.items()}
        self._proxies = Proxies(bypassed=self._is_own)
        self._session: ClientSession | None = None

    async def post(self, path: str, content: dict[str, Any]) -> Any:
        """Send JSON, once; return the JSON of the reply, or the ``Failure`` to get one."""
        headers = [(name, value) for name, value in (_JSON | self._payers).items() if value]
        try:
            async with await self.send("POST", path, headers, json.dumps(content)) as reply:
                packed = reply.headers.get("Content-Encoding", "identity")
                if packed != "identity":  # It cannot be measured before it is unpacked.
                    reason = f"{self._base} sent a reply packed as {packed[:20]}, unasked"
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
        """Send a request with our key; return the unread reply, or raise a ``LostReplyError``."""
        url = f"{self._base}/{target}"
        # The reply is asked for as it is: a compressed one could not be read on the way.
        headers = [*headers, ("Accept-Encoding", "identity")]
        if self._key not in ("", "none"):
            headers.append(("Authorization", f"Bearer {self._key}"))
        try:
            reply = await self._open_session().request(
                method,
                self._url(url, encoded=True),
                headers=headers,
                data=body or None,
                allow_redirects=False,  # They would get prompts and key.
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
        """Yield the body as it comes, or raise a ``LostReplyError`` where it is not whole."""
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
        """Give connections back; they are opened again when they are needed."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _open_session(self) -> ClientSession:
        if self._session is None:
            aiohttp, retry = self._aiohttp, self._retry
            tls = httpx2.create_ssl_context() if self._base.startswith("https") else True
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
        """Keep aiohttp from sending a request again by itself, which nobody would count."""
        try:
            return await handler(request)
        except Exception as error:
            raise self._lost(error) from error

    def _lost(self, error: Exception, url: str | None = None) -> LostReplyError:
        """Return the error of a request, to a ``url`` if it may not have got there."""
        lost = error
        if not isinstance(lost, LostReplyError):
            lost = LostReplyError(Failure.of_error(error, self._retry.timeout))
        if self._is_own and lost.failure.unreached:
            return LostReplyError(Failure.of_ended_server())
        proxy = self._proxies.find(url) if url else None
        if url and proxy and lost.failure.unreached and not lost.failure.remedy:
            parts = urlsplit(url)
            named = name_proxy(parts.scheme, proxy)
            return LostReplyError(lost.failure.behind_proxy(named, parts.hostname or ""))
        return lost
