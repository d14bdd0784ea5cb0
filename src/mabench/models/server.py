"""Servers of models: a request is sent once, and whatever comes of it is said.

OpenAI, vLLM, Ollama, llama.cpp, litellm's proxy and many others speak its chat completions.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from mabench.errors import MabenchError, require
from mabench.models.completion import read_completion
from mabench.models.server_words import ServerWords, is_web_page, read_words
from mabench.models.spec import (
    Failure,
    ModelAddress,
    ModelRequest,
    Reply,
    header_from,
    too_long,
)
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, ClientSession

_MESSAGE_LENGTH = 300
# Seconds that a connection may lie idle: servers close theirs, and what is sent then is lost.
_IDLE = 2.0
_JSON = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "mabench"}
# Who pays, in OpenAI's words.
_PAYERS = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
_REDIRECTS = {301, 302, 303, 307, 308}
_EXCERPT = 100  # Characters of a reply that is not JSON, in an error.
_EVENTS = b"data:"  # How a stream of server-sent events begins.
# Newer models of OpenAI's refuse ``max_tokens``.
_OTHER_NAMES = {"max_tokens": "max_completion_tokens"}
# What a request can do without: the server then takes its own default.
_OPTIONAL = ("max_tokens", "temperature", "seed")
# A budget that is too large says nothing about the name of the budget.
_TOO_LARGE = re.compile(
    r"too large|too long|context (length|window)|maximum context|at most|less than|exceed",
    re.IGNORECASE,
)


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
        self._payers = {name: header_from(variable) for name, variable in _PAYERS.items()}
        self._proxies: dict[tuple[str, str], str | None] = {}
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
                    return _redirection(f"{self._base}/{path}", reply.headers["Location"])
                longest = self._retry.longest_reply
                body = b"".join([part async for part in self.read(reply, longest)])
        except LostReplyError as lost:
            return lost.failure
        if reply.status >= 300:
            return _refusal(reply, body)
        return _parse_reply(body)

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
                proxy=self._proxy(url),
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
                    raise LostReplyError(Failure(too_long(self._base, longest), again=False))
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

    def _proxy(self, url: str) -> str | None:
        # Looked up once for each address, since the whole environment is read for it.
        parts = urlsplit(url)
        if parts[:2] not in self._proxies:
            proxies = {} if proxy_bypass(parts.netloc) else getproxies()
            self._proxies[parts[:2]] = proxies.get(parts.scheme) or proxies.get("all")
        return self._proxies[parts[:2]]

    def _lost(self, error: Exception, url: str | None = None) -> LostReplyError:
        """Return the error of a request, to a ``url`` if it may not have got there."""
        lost = error
        if not isinstance(lost, LostReplyError):
            lost = LostReplyError(Failure.of_error(error, self._retry.timeout))
        proxy = self._proxy(url) if url else None
        if url and proxy and lost.failure.unreached and not lost.failure.remedy:
            parts = urlsplit(url)
            named = _name_proxy(parts.scheme, proxy)
            return LostReplyError(lost.failure.behind_proxy(named, parts.hostname or ""))
        return lost


def _name_proxy(scheme: str, proxy: str) -> str:
    """Return the variable that names a proxy, with the proxy's address."""
    parts = urlsplit(proxy)
    address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"  # Without a password.
    names = (f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
    return next((f"{name}={address}" for name in names if os.environ.get(name)), address)


class ChatModel:
    """A model on a server that speaks OpenAI's chat completions; raises as ``ModelServer`` does."""

    path = "chat/completions"

    def __init__(self, name: str, base_url: str | None, retry: RetryPolicy) -> None:
        self.address = ModelAddress.find(name, base_url)
        self._refused: set[str] = set()
        self._server = ModelServer(self.address, retry)
        self.close = self._server.close

    async def send(self, request: ModelRequest) -> Reply | Failure:
        """Return what came of a request; a parameter that is refused is learnt for later ones."""
        arguments: dict[str, Any] = {"model": self.address.name, **request.arguments}
        for name in self._refused:
            value = arguments.pop(name)
            if name in _OTHER_NAMES:
                arguments[_OTHER_NAMES[name]] = value
        arguments = {name: value for name, value in arguments.items() if value is not None}
        outcome = await self._server.post(self.path, arguments)
        if not isinstance(outcome, Failure):
            return read_completion(request, outcome)
        if outcome.words is not None:
            refused = _refused_parameter(arguments, request, outcome.words)
            if refused is not None:
                self._refused = self._refused | {refused}
                return Failure(f"{refused} is refused", adapted=True)
        return outcome


def _redirection(url: str, location: str) -> Failure:
    """Return the failure of a request that is redirected: elsewhere nobody gets prompts and key."""
    here = httpx2.URL(url)
    named = f"{here.scheme}://{here.host}"
    try:
        there = here.join(location)
        reason = f"{named} redirects to {there}, and redirects are not followed"
    except (httpx2.InvalidURL, ValueError):
        reason = f"{named} redirects to an invalid address"
    return Failure(redact(reason)[:_MESSAGE_LENGTH], again=False, unavailable=True)


def _refusal(reply: ClientResponse, body: bytes) -> Failure:
    """Return the failure of a request to which a server replied with the status of an error."""
    words = read_words(body)
    reason = words.after(f"HTTP {reply.status}")
    if words.wants_payment:
        return Failure.unpaid(reason)
    failure = Failure.of_status(reason, reply.status, reply.headers)
    return failure._replace(words=words) if reply.status in (400, 422) else failure


def _parse_reply(body: bytes) -> Any:
    """Return the JSON of a reply with status 200, or the ``Failure`` of one that holds none."""
    if is_web_page(body):
        reason = "the server sent a web page, such as one to sign in, in place of a reply"
        return Failure(reason, again=False)
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        if body.lstrip().startswith(_EVENTS) or b"\n" + _EVENTS in body:
            reason = "the server sent a stream of events, which was not asked for"
            return Failure(reason, again=False)
    return Failure(ServerWords(read_words(body[:_EXCERPT]).message).after("the reply is not JSON"))


def _refused_parameter(
    sent: dict[str, Any], request: ModelRequest, words: ServerWords
) -> str | None:
    """Return the optional parameter that a server refuses, by the name that it gives.

    A message may repeat the prompt: a word that occurs there names no parameter.
    """
    if _TOO_LARGE.search(words.message):
        return None
    names = [name for name in _OPTIONAL if name in sent]
    named = next((name for name in words.parameters if name in names), None)
    if named is not None:
        return named
    prompt = f"{request.system} {request.prompt}".lower()
    # The one that is named first is refused; others are named as a remedy.
    matches = {
        name: re.search(rf"\b{name}\b", words.message, re.IGNORECASE)
        for name in names
        if name not in prompt
    }
    places = {name: match.start() for name, match in matches.items() if match}
    return min(places, key=places.__getitem__, default=None)
