"""The language model of a reader or judge, with its prices, cache and spending limit.

Every request goes through its ``RequestGate``; none is sent by any other way.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, Self

from mabench.errors import UsageError
from mabench.installation import cache_folder
from mabench.json_text import without_surrogates
from mabench.models.address import ModelAddress
from mabench.models.call_log import current_log
from mabench.models.failure import Failure
from mabench.models.local import LocalModel, find_window, serve
from mabench.models.preflight import PREFLIGHT_PROMPT, PREFLIGHT_TOKENS, explain_unavailable
from mabench.models.prices import Price, load_prices
from mabench.models.replies import KeptReply, ResponseCache
from mabench.models.request_gate import RequestGate
from mabench.models.server import ChatModel
from mabench.models.server.requests import ModelRequest, Reply
from mabench.models.usage import Usage
from mabench.redact import redact
from mabench.specs import ModelSpec
from mabench.specs.model import RetryPolicy


class ReadingModel:
    """The language model of a reader or judge; with a ``cache`` no request is sent twice.

    ``transport`` sends requests to the server; None if only cached replies may be used. ``spent``
    is the cost of all replies since the model was opened, in US dollars; unusable replies count.
    """

    def __init__(
        self,
        spec: ModelSpec,
        transport: ChatModel | None,
        *,
        price: Price | None = None,
        cache: ResponseCache | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.name = spec.name
        self.price = price
        self.window = find_window(spec, price)
        self.spent = 0.0
        self._spec = spec
        self._transport = transport
        self.cache = cache
        self._name = spec.name_on_server
        self._server = LocalModel.of(spec).key if spec.is_local else spec.server
        name_in_errors = f"{self._name} at {spec.server}" if spec.server else self._name
        self.gate = RequestGate(spec.concurrent_requests, retry or spec.retry, name_in_errors)
        self._max_cost = float("inf")
        self._on_limit: Callable[[], object] = lambda: self.gate.halt(None)
        # Whether to send a preflight before the first request that is not cached.
        self.preflight_due = False
        self._preflight_lock = asyncio.Lock()

    @classmethod
    def open(cls, spec: ModelSpec) -> Self:
        """Return the model that ``spec`` describes.

        Raises:
            MissingPackageError: when the package that it needs is not installed.
            UsageError: when it has no key or no server, the prices cannot be read, or its file on
                this machine cannot be served.
            ModelUnavailableError: when it does not fit into the memory of this machine.
            DataError: when the cache of a replay cannot be read.
        """
        price = Price.of(spec.name, load_prices(spec.prices))
        if spec.replay:
            cache = ResponseCache(spec.replay, reads_only=True)
            return cls(spec, transport=None, price=price, cache=cache)
        if spec.lacks_server:
            raise UsageError(
                f"{spec.name} is reached through a server that speaks OpenAI's protocol, such as "
                "the provider's own or litellm's proxy; name it as `base_url`",
                parameter="model",
            )
        if spec.is_local:
            address = serve(spec)
        else:
            address = ModelAddress.find(spec.name_on_server, spec.server)
        transport = ChatModel(address, spec.retry)
        own_cache = ResponseCache() if spec.keeps_replies else None
        return cls(spec, transport, price=price, cache=own_cache)

    @classmethod
    def open_cached(cls, spec: ModelSpec) -> Self | None:
        """Return a model that only looks up cached replies, without a key; None without a cache."""
        has_cache = spec.replay or spec.keeps_replies
        folder = spec.replay or cache_folder()
        if not has_cache or not (folder / ResponseCache.FILE).is_file():
            return None
        return cls(spec, transport=None, cache=ResponseCache(folder, reads_only=True))

    def address(self) -> ModelAddress:
        """Return the address for a memory's own calls."""
        if self._transport is not None:
            return self._transport.address
        server = self._spec.server
        return ModelAddress(self._name, server) if server else ModelAddress(self._name)

    async def preflight(self, *, stays_open: bool = False) -> None:
        """Send a tiny request to find out whether the server is there and accepts ours.

        A slow or overloaded server does not fail it. The connection is closed afterwards, so that
        another event loop can use the model, unless ``stays_open``.

        Raises:
            ModelUnavailableError: when the server is not there, or refuses the model or key.
        """
        self.preflight_due = False
        if self._transport is None:
            return
        try:
            async with self.gate.limit.slot():  # One of the requests that may be in flight.
                outcome = await self.gate.probe(self._probe)
        finally:
            if not stays_open:
                await self._transport.close()
        if isinstance(outcome, Failure) and (outcome.unreached or outcome.unavailable):
            raise explain_unavailable(outcome, self.name, self._spec.server)

    def is_cached(
        self, prompt: str, max_tokens: int, temperature: float | None = None, attempt: int = 0
    ) -> bool:
        """Return whether the cache holds the reply to a prompt; arguments as for ``reply``."""
        key = self._key(self._request(prompt, max_tokens, temperature, attempt=attempt))
        return self.cache is not None and self.cache.get(key) is not None

    async def reply(
        self,
        prompt: str,
        max_tokens: int,
        *,
        system: str = "",
        temperature: float | None = None,
        attempt: int = 0,
    ) -> Reply:
        """Return the reply to a prompt, from the cache or the server.

        ``attempt`` counts the unusable replies so far: each attempt is cached on its own.

        Raises:
            ModelError: when there is no reply, or one of its subclasses that says why.
        """
        system = without_surrogates(system)
        request = self._request(prompt, max_tokens, temperature, attempt=attempt, system=system)
        if self.cache is None:
            return await self._request_reply(request, key=None)
        key = self._key(request)
        async with self.cache.lookup(key, ChatModel.path, self.name) as kept:
            if kept is None:
                reply = await self._request_reply(request, key)
                to_keep = KeptReply.of_text(reply.text, reply.usage, cut_off=reply.cut_off)
                was_kept = self.cache.put(key, to_keep) is not None
                return replace(reply, kept_as=key) if was_kept else reply
            usage = kept.usage or Usage(0, 0)
            if log := current_log.get():
                log.pay(0.0)
                log.replay(ChatModel.path, self._name, usage=usage, reply=key)
            return Reply(kept.text, usage, cut_off=kept.cut_off, cached=True, kept_as=key)

    def cost(self, usage: Usage) -> float | None:
        """Return the cost of these tokens in US dollars; None if prices are unknown."""
        return self.price.cost(usage) if self.price else None

    def limit_spending(self, max_cost: float, on_limit: Callable[[], object] | None = None) -> None:
        """Call ``on_limit`` once ``max_cost`` US dollars are spent; by default, stop sending.

        Raises:
            UsageError: when the price of the model is unknown.
        """
        if self.price is None:
            raise UsageError(
                f"the price of {self.name} is unknown, so its cost cannot be limited; name a file "
                "with it as `prices`",
                parameter="max_cost",
            )
        self._max_cost = max_cost
        if on_limit is not None:
            self._on_limit = on_limit
        if self.spent >= max_cost:
            self._on_limit()

    async def close(self) -> None:
        """Close the client and the cache."""
        if self._transport is not None:
            await self._transport.close()
        if self.cache is not None:
            self.cache.close()

    def _request(
        self, prompt: str, max_tokens: int, temperature: float | None = None, **more: Any
    ) -> ModelRequest:
        """Return the request for a prompt, with the temperature and seed of the settings."""
        if temperature is None:
            temperature = self._spec.temperature
        prompt = without_surrogates(prompt)
        return ModelRequest(prompt, max_tokens, temperature, self._spec.seed, **more)

    def _key(self, request: ModelRequest) -> str:
        """Return the name of a reply in the cache: a hash of everything that determines it."""
        determining = {"model": self._name, "server": self._server, **asdict(request)}
        return hashlib.sha256(json.dumps(determining, sort_keys=True).encode()).hexdigest()

    async def _request_reply(self, request: ModelRequest, key: str | None) -> Reply:
        """Send the request through the gate, after the preflight if that is still due."""
        async with self._preflight_lock:
            if self.preflight_due:
                await self.preflight()
        return await self.gate.send_with_retries(
            lambda: self._send(request, key), probe=self._probe
        )

    async def _probe(self) -> Reply | Failure:
        request = self._request(PREFLIGHT_PROMPT, PREFLIGHT_TOKENS)
        return await self._send(request, key=None, wasted=True)

    async def _send(
        self, request: ModelRequest, key: str | None, wasted: bool = False
    ) -> Reply | Failure:
        """Send a request once, add its cost, and record the call.

        The cost is added before anything else happens to the reply. ``key`` is the name under
        which the reply will be cached; ``wasted`` says that nobody will use it.
        """
        log = current_log.get()
        end = log.begin(ChatModel.path, self._name, request) if log else None
        outcome: Reply | Failure = Failure("it was given up")
        cost = None
        try:
            assert self._transport is not None  # noqa: S101 - a replay never gets here
            outcome = await self._transport.send(request)
            cost = self.cost(outcome.usage) if outcome.usage else None
            if cost is not None:
                self.spent += cost
                if log is not None:
                    log.pay(cost, wasted=wasted or isinstance(outcome, Failure))
                if self.spent >= self._max_cost:
                    self._on_limit()
        finally:
            if end is not None:
                if isinstance(outcome, Failure):
                    end(usage=outcome.usage, cost=cost, error=redact(outcome.reason))
                else:
                    end(usage=outcome.usage, cost=cost, reply=key)
        return outcome
