"""A language model as readers and judges use it: prompted, priced, cached and bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from weakref import WeakValueDictionary

from mabench.errors import DataError, UsageError
from mabench.json_text import without_surrogates
from mabench.models.money import Attempt, current_bill
from mabench.models.openai_compatible import OpenAICompatible
from mabench.models.preflight import PREFLIGHT_PROMPT, PREFLIGHT_TOKENS, unavailable
from mabench.models.prices import Price
from mabench.models.replies.kept import request_key
from mabench.models.replies.silence import Silence, not_kept
from mabench.models.replies.store import ResponseCache
from mabench.models.sending.completion import Failure
from mabench.models.sending.pacing import AdaptiveLimit
from mabench.models.sending.sender import Sender, Transport
from mabench.models.spec import ModelAddress, ModelRequest, Reply, ReplyNotKeptError
from mabench.redact import redact
from mabench.specs import ModelSpec
from mabench.specs.model import RetryPolicy

_PATH = "chat/completions"


class ReadingModel:
    """A language model as readers and judges use it.

    No request is sent twice when there is a ``cache``.

    Args:
        spec: the model.
        transport: sends one request to it, once.
        price: what its tokens cost, None if unknown.
        cache: keeps its replies.
        retry: how often and how slowly failed requests are sent again.

    Attributes:
        name: the model's name, as the user gave it.
        price: as given.
        window: how many tokens it takes at a time, None if unknown.
        spent: US dollars paid for its replies since it was opened, those of no use included;
            cached replies cost nothing, and neither do those of a model without a price.
        limit: how many requests are in flight; a memory's own calls share it.
        not_kept: why a reply could not be cached; None when all could.
    """

    def __init__(
        self,
        spec: ModelSpec,
        transport: Transport,
        *,
        price: Price | None = None,
        cache: ResponseCache | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.name = spec.name
        self.price = price
        self.window = spec.window or (price.window if price else None)
        self.spent = 0.0
        self.not_kept: str | None = None
        self._spec = spec
        self._transport = transport
        self._cache = cache
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.limit = AdaptiveLimit(spec.requests_in_flight)
        self._sender = Sender(
            transport,
            self.limit,
            retry or RetryPolicy(),
            self._request(PREFLIGHT_PROMPT, PREFLIGHT_TOKENS),
            self,
        )
        self._most = float("inf")
        self._reached: Callable[[], object] = lambda: self.halt(None)
        self._unbilled = 0.0
        self._preflight_due = False
        self._one_preflight = asyncio.Lock()

    @property
    def outage(self) -> str | None:
        """In words, that the server does not answer; None while there is no cause for concern."""
        return self._sender.outage.described()

    @property
    def failing(self) -> bool:
        """Whether the latest request was not answered."""
        return bool(self._sender.outage.failing)

    @property
    def unbilled(self) -> float:
        """US dollars that stand on no bill: for a preflight, until a question is asked."""
        return self._unbilled

    @property
    def has_address(self) -> bool:
        """Whether the model is reached by OpenAI's protocol."""
        transport = self._transport
        if isinstance(transport, Silence):
            return transport.speaks_openai
        return isinstance(transport, OpenAICompatible)

    def address(self) -> ModelAddress:
        """Return where the model is reached, for a memory that calls it by itself.

        Raises:
            UsageError: when the model is not reached by OpenAI's protocol.
        """
        if not self.has_address or not isinstance(self._transport, OpenAICompatible | Silence):
            raise UsageError(
                f"{self.name} does not speak OpenAI's protocol, which this memory's own requests "
                "need; name an openai/ model, or a server with `base_url`",
                parameter="model",
            )
        return self._transport.address()

    async def preflight(self) -> None:
        """Find out whether the server is there and takes our requests, by a tiny one.

        A server that is slow, busy or in trouble passes. The reply counts as of no use: it costs
        what some 20 tokens cost. The model can then be used in another event loop. Where only
        kept replies are used, nothing is sent.

        Raises:
            ModelUnavailableError: when there is no such server or model, or no such key.
        """
        self._preflight_due = False
        if self._spec.replay:
            return
        try:
            outcome = await self._sender.probe()
        finally:
            await self._transport.close()
        if isinstance(outcome, Failure) and (outcome.unreached or outcome.unavailable):
            raise unavailable(outcome, self.name, self._transport.base_url)

    def preflight_later(self) -> None:
        """Have the preflight before the first request that the cache does not answer."""
        self._preflight_due = True

    def keeps_all(self, work: str) -> bool:
        """Whether the cache held every reply that some work takes, when ``keep_all`` was called.

        Args:
            work: a hash of everything that determines its requests, but the server.
        """
        return self._cache is not None and self._cache.is_whole(self._work(work))

    def keep_all(self, *works: str) -> None:
        """Note that the cache holds every reply that some works take."""
        if self._cache is not None and self.not_kept is None:
            self._cache.mark_whole(map(self._work, works))

    def keeps(self, prompt: str, max_tokens: int, temperature: float | None = None) -> bool:
        """Whether the cache holds the reply to a prompt; arguments as for ``reply``."""
        if self._cache is None:
            return False
        return (
            self._cache.get(self._key(self._request(prompt, max_tokens, temperature))) is not None
        )

    async def reply(
        self,
        prompt: str,
        max_tokens: int,
        *,
        system: str = "",
        temperature: float | None = None,
        attempt: int = 0,
    ) -> Reply:
        """Return the reply to a prompt.

        Args:
            prompt: the user's message.
            max_tokens: the longest reply, in tokens of the model.
            system: the system message; none when empty.
            temperature: instead of the model's own.
            attempt: how many replies to this prompt were of no use; each number is a new request,
                which the cache does not answer with the reply to an earlier one.

        Raises:
            ModelError: when there is none.
            ReplyNotKeptError: when only kept replies are used, and this one is not kept.
            ModelUnavailableError: when there will be none, to whatever prompt.
            ModelStoppedError: when requests were halted.
        """
        request = self._request(prompt, max_tokens, temperature, attempt, system)
        if self._cache is None:
            return await self._asked(request)
        key = self._key(request)
        async with self._locks.setdefault(key, asyncio.Lock()):  # Equal requests wait for one.
            reply = self._cache.get(key)
            if reply is None:
                if self._spec.replay:
                    raise ReplyNotKeptError(not_kept(_PATH, self.name, key, self._spec.replay))
                reply = self._keep(key, await self._asked(request))
            elif bill := current_bill():
                bill.add(0.0)
                if bill.watch:
                    bill.watch.kept(self._transport.name, reply)
            return reply

    def cost(self, reply: Reply) -> float | None:
        """Return what a reply costs in US dollars, cached or not; None if prices are unknown."""
        price, counts = self.price, (reply.input_tokens, reply.output_tokens, reply.cached_tokens)
        return price.cost(*counts) if price else None

    def limit_spending(self, most: float, reached: Callable[[], object] | None = None) -> None:
        """Call ``reached`` once so many dollars are spent, or just send nothing more.

        Requests that are with the server then are finished and paid for.

        Raises:
            UsageError: when the price of the model is unknown.
        """
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

    def halt(self, grace: float | None) -> None:
        """Send nothing more; requests that wait end at once.

        Args:
            grace: after how many seconds those end that are with the server; None to wait for it.
        """
        self._sender.halt.ask(grace)

    async def close(self) -> None:
        """Close the client and the cache."""
        await self._transport.close()
        if self._cache is not None:
            self._cache.close()

    def _request(
        self,
        prompt: str,
        max_tokens: int,
        temperature: float | None = None,
        attempt: int = 0,
        system: str = "",
    ) -> ModelRequest:
        spec = self._spec
        warmth = spec.temperature if temperature is None else temperature
        texts = without_surrogates(prompt), without_surrogates(system)
        return ModelRequest(texts[0], max_tokens, warmth, spec.seed, attempt, texts[1])

    def _key(self, request: ModelRequest) -> str:
        return request_key(self._transport.name, self._transport.base_url, request)

    def _work(self, work: str) -> str:
        return f"{work} {self._transport.name} {self._transport.base_url}"

    async def _asked(self, request: ModelRequest) -> Reply:
        """Return the model's reply, after the preflight where that is still due."""
        bill = current_bill()
        if bill is not None and self._unbilled:
            bill.add(self._unbilled, wasted=True)
            self._unbilled = 0.0
        async with self._one_preflight:
            if self._preflight_due:
                await self.preflight()
        return await self._sender.reply(request)

    def _keep(self, key: str, reply: Reply) -> Reply:
        """Cache a reply; one that cannot be cached was paid for and is used all the same."""
        if self._cache is not None:
            try:
                self._cache.put(key, reply)
                return replace(reply, kept_as=key)
            except DataError as error:
                self.not_kept = str(error)
        return reply

    def begin(self, request: ModelRequest, again: bool) -> Callable[[Reply | Failure, float], None]:
        """Note that a request is sent, where the work that it is for is watched."""
        bill = current_bill()
        if bill is None or bill.watch is None:
            return lambda outcome, seconds: None
        told = bill.watch.begin(self._transport.name, again)
        keeps = self._cache is not None and request.prompt != PREFLIGHT_PROMPT

        def end(outcome: Reply | Failure, seconds: float) -> None:
            reply = outcome.paid if isinstance(outcome, Failure) else outcome
            error = redact(outcome.reason) if isinstance(outcome, Failure) else None
            if isinstance(outcome, Reply) and keeps:
                reply = replace(outcome, kept_as=self._key(request))
            told(Attempt(seconds, reply, self.cost(reply) if reply else None, error))

        return end

    def pay(self, reply: Reply, wasted: bool) -> None:
        """Count what a reply costs, before anything else happens with it."""
        cost, bill = self.cost(reply), current_bill()
        if cost is None:
            return
        self.spent += cost
        if bill is None:
            self._unbilled += cost
        else:
            bill.add(cost, wasted)
        if self.spent >= self._most:
            self._reached()
