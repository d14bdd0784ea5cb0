"""A language model as readers and judges use it: prompted, priced, cached and bounded."""

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
    """A language model as readers and judges use it; no request is sent twice with a ``cache``.

    Its ``transport`` sends one request to it, once; it is None if only kept replies are used.
    ``spent`` are US dollars for its replies since it was opened, those of no use included.
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
        where = f" at {spec.server}" if spec.server else ""
        server = f"{self._name}{where}"
        self.gate = RequestGate(spec.concurrent_requests, retry or spec.retry, server)
        self._most = float("inf")
        self._reached: Callable[[], object] = lambda: self.gate.halt(None)
        # Whether it comes before the first request that the cache does not answer.
        self.preflight_due = False
        self._one_preflight = asyncio.Lock()

    @classmethod
    def open(cls, spec: ModelSpec) -> Self:
        """Return the model that is described.

        Raises:
            MissingPackageError: when the package that it needs is not installed.
            UsageError: when it has no key or no server, the prices cannot be read, or its file on
                this machine cannot be served.
            ModelUnavailableError: when it does not fit into the memory of this machine.
            DataError: when kept replies cannot be read.
        """
        price = Price.of(spec.name, load_prices(spec.prices))
        if spec.replay:
            kept = ResponseCache(spec.replay, reads_only=True)
            return cls(spec, None, price=price, cache=kept)
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
        cache = ResponseCache() if spec.keeps_replies else None
        return cls(spec, transport, price=price, cache=cache)

    @classmethod
    def open_kept(cls, spec: ModelSpec) -> Self | None:
        """Return one that only looks up kept replies, without a key; None if there are none."""
        folder = spec.replay or cache_folder()
        if not (spec.replay or spec.keeps_replies) or not (folder / ResponseCache.FILE).is_file():
            return None
        return cls(spec, None, cache=ResponseCache(folder, reads_only=True))

    def address(self) -> ModelAddress:
        """Return where a memory's own calls go."""
        if self._transport is not None:
            return self._transport.address
        server = self._spec.server
        return ModelAddress(self._name, server) if server else ModelAddress(self._name)

    async def preflight(self, *, stays: bool = False) -> None:
        """Find out by a tiny request, of no use, whether the server is there and takes ours.

        A slow or overloaded server does not fail it. Unless it ``stays``, another loop can use it.

        Raises:
            ModelUnavailableError: when there is no such server or model, or no such key.
        """
        self.preflight_due = False
        if self._transport is None:
            return
        try:
            outcome = await self.gate.probe(self._probe)
        finally:
            if not stays:
                await self._transport.close()
        if isinstance(outcome, Failure) and (outcome.unreached or outcome.unavailable):
            raise explain_unavailable(outcome, self.name, self._spec.server)

    def keeps(self, prompt: str, max_tokens: int, temperature: float | None = None) -> bool:
        """Whether the cache holds the reply to a prompt; arguments as for ``reply``."""
        key = self._key(self._request(prompt, max_tokens, temperature))
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
        """Return the reply, cached for each ``attempt``, or raise a ``ModelError`` of some kind."""
        system = without_surrogates(system)
        request = self._request(prompt, max_tokens, temperature, attempt=attempt, system=system)
        if self.cache is None:
            return await self._ask(request, None)
        key = self._key(request)
        async with self.cache.lookup(key, ChatModel.path, self.name) as kept:
            if kept is None:
                reply = await self._ask(request, key)
                text = KeptReply.of_text(reply.text, reply.usage, cut_off=reply.cut_off)
                kept = self.cache.put(key, text)
                return replace(reply, kept_as=key) if kept else reply
            usage = kept.usage or Usage(0, 0)
            if log := current_log.get():
                log.pay(0.0)
                log.replay(ChatModel.path, self._name, usage=usage, reply=key)
            return Reply(kept.text, usage, cut_off=kept.cut_off, cached=True, kept_as=key)

    def cost(self, usage: Usage) -> float | None:
        """Return what tokens cost in US dollars; None if prices are unknown."""
        return self.price.cost(usage) if self.price else None

    def limit_spending(self, most: float, reached: Callable[[], object] | None = None) -> None:
        """Call ``reached`` once ``most`` dollars are spent, or just send nothing more."""
        if self.price is None:
            raise UsageError(
                f"the price of {self.name} is unknown, so its cost cannot be limited; name a file "
                "with it as `prices`",
                parameter="max_cost",
            )
        self._most = most
        self._reached = reached or self._reached
        if self.spent >= most:
            self._reached()

    async def close(self) -> None:
        """Close the client and the cache."""
        if self._transport is not None:
            await self._transport.close()
        if self.cache is not None:
            self.cache.close()

    def _request(
        self, prompt: str, max_tokens: int, temperature: float | None = None, **more: Any
    ) -> ModelRequest:
        if temperature is None:
            temperature = self._spec.temperature
        prompt = without_surrogates(prompt)
        return ModelRequest(prompt, max_tokens, temperature, self._spec.seed, **more)

    def _key(self, request: ModelRequest) -> str:
        determining = {"model": self._name, "server": self._server, **asdict(request)}
        return hashlib.sha256(json.dumps(determining, sort_keys=True).encode()).hexdigest()

    async def _ask(self, request: ModelRequest, key: str | None) -> Reply:
        async with self._one_preflight:
            if self.preflight_due:
                await self.preflight()
        return await self.gate.send_with_retries(lambda: self._send(request, key), self._probe)

    async def _probe(self) -> Reply | Failure:
        request = self._request(PREFLIGHT_PROMPT, PREFLIGHT_TOKENS)
        return await self._send(request, None, wasted=True)

    async def _send(
        self, request: ModelRequest, key: str | None, wasted: bool = False
    ) -> Reply | Failure:
        """Send once; what came back is paid for before anything else happens."""
        log = current_log.get()
        end = log.begin(ChatModel.path, self._name, request) if log else None
        outcome: Reply | Failure = Failure("it was given up")
        cost = None
        try:
            assert self._transport is not None  # noqa: S101 - else it is not kept
            outcome = await self._transport.send(request)
            cost = self.cost(outcome.usage) if outcome.usage else None
            if cost is not None:
                self.spent += cost
                if log is not None:
                    log.pay(cost, wasted or isinstance(outcome, Failure))
                if self.spent >= self._most:
                    self._reached()
        finally:
            if end is not None:
                if isinstance(outcome, Failure):
                    end(usage=outcome.usage, cost=cost, error=redact(outcome.reason))
                else:
                    end(usage=outcome.usage, cost=cost, reply=key)
        return outcome
