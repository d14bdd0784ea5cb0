"""The client against a real server on loopback: faults, pacing, redirects, outages."""

import asyncio
import json
import os
import random
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest

from mabench.errors import UsageError
from mabench.models import (
    KeptReply,
    ModelAddress,
    ModelError,
    ModelSpec,
    ModelStoppedError,
    ModelUnavailableError,
    Price,
    ReadingModel,
    Reply,
    ResponseCache,
    RetryPolicy,
    Usage,
    request_gate,
)
from mabench.models.pacing import AdaptiveLimit
from mabench.models.server import ChatModel
from mabench.remote.http_channel import http_factory
from tests.command_line import within
from tests.models.server import KEY, Fault, serving
from tests.remote.http_serving import Handler, running
from tests.remote.http_serving import serving as serving_memories
from tests.remote.mcp_serving import free_port

T = TypeVar("T")

QUICK = RetryPolicy(attempts=4, first=0.01, longest=0.05, timeout=1.0, patience=0.5)


def with_model(
    url: str | None,
    work: Callable[[ReadingModel], Awaitable[T]],
    retry: RetryPolicy = QUICK,
    price: Price | None = None,
    cache: Path | None = None,
    **spec: Any,
) -> T:
    """Do some work with the model ``m`` of the server at a URL."""

    async def whole() -> T:
        client = ChatModel(ModelAddress.find("m", url), retry)
        replies = ResponseCache(cache) if cache else None
        described = ModelSpec("m", base_url=url, **spec)
        model = ReadingModel(described, client, price=price, cache=replies, retry=retry)
        try:
            return await work(model)
        finally:
            await model.close()

    return asyncio.run(whole())


def ask(url: str | None, *prompts: str, **how: Any) -> list[Reply]:
    """Return the replies to prompts that are sent at once."""

    async def work(model: ReadingModel) -> list[Reply]:
        return await asyncio.gather(*(model.reply(prompt, 20) for prompt in prompts))

    return with_model(url, work, **how)


pytestmark = pytest.mark.usefixtures("key_and_cache")


def test_a_reply_carries_text_and_the_tokens_that_the_server_counted_or_an_estimate() -> None:
    async def work(model: ReadingModel) -> list[Reply]:
        replies = [
            await model.reply("hello", 20),
            await model.reply("hello", 5, system="Be brief."),
        ]
        served.answer = lambda _: Fault("uncounted")
        return [*replies, await model.reply("one two three", 5)]

    with serving(str.upper) as served:
        first, second, estimated = with_model(served.url, work)
    assert first == second == Reply("HELLO", Usage(11, 3))
    assert estimated == Reply("fine", Usage(3, 1, estimated=True))
    sent, other, _ = served.requests
    user = {"role": "user", "content": "hello"}
    assert sent == {"model": "m", "messages": [user], "max_tokens": 20, "temperature": 0.0}
    assert other["messages"] == [{"role": "system", "content": "Be brief."}, user]
    assert served.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "kind", ["429", "500", "502", "503", "408", "drop", "cut", "garbage", "shape", "empty"]
)
def test_a_passing_fault_is_asked_again_and_a_lasting_one_named(kind: str) -> None:
    with serving(lambda _: "fine" if served.asked["hello"] > 2 else Fault(kind)) as served:
        (reply,) = ask(served.url, "hello")
    assert (reply.text, served.asked["hello"]) == ("fine", 3)
    # Where it is not known whether the server answers at all, it is asked something tiny first.
    times = 5 if kind in ("500", "502", "503", "drop", "cut") else 4
    asked = pytest.raises(ModelError, match=f"asked {times} times")
    with serving(lambda _: Fault(kind)) as served, asked:
        ask(served.url, "hello")
    assert served.asked["hello"] == times


_SAID = json.dumps({"error": {"message": f"Incorrect key: {KEY}"}})
_THERE = {"Location": "http://localhost:9/v1/chat/completions"}


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        *((Fault(each, body=_SAID), ModelError, f"HTTP {each}") for each in ("400", "422")),
        *(
            (Fault(each, body=_SAID), ModelUnavailableError, f"HTTP {each}")
            for each in ("401", "404")
        ),
        (Fault("429", {"Retry-After": "86400"}), ModelError, "86400 s"),
        *(
            (Fault(each, _THERE), ModelUnavailableError, "redirects to http://localhost:9/")
            for each in ("301", "302", "307", "308")
        ),
    ],
)
def test_what_asking_again_cannot_help_is_not_asked_again(
    fault: Fault, kind: type, message: str
) -> None:
    with serving(lambda _: fault) as served, pytest.raises(ModelError, match=message) as raised:
        ask(served.url, "hello")
    assert served.asked["hello"] == 1
    assert type(raised.value) is kind
    assert KEY not in str(raised.value)


@pytest.mark.parametrize("form", ["seconds", "milliseconds", "date"])
def test_retry_after_is_obeyed_by_all_requests(form: str) -> None:
    times: list[float] = []

    def answer(_: str) -> str | Fault:
        later = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        named = {"seconds": "1", "milliseconds": "1000", "date": later}[form]
        name = "retry-after-ms" if form == "milliseconds" else "Retry-After"
        times.append(time.monotonic())
        return "fine" if len(times) > 1 else Fault("429", {name: named})

    with serving(answer) as served:
        ask(served.url, "one", "two", requests_in_flight=1)
    assert times[1] - times[0] >= 0.95


def test_the_limit_halves_when_pushed_back_and_grows_while_calls_succeed() -> None:
    async def go() -> list[int]:
        limit = AdaptiveLimit(16)
        seen = []
        async with limit.slot() as admitted:
            limit.pushed_back(admitted, 0.0)
            limit.pushed_back(admitted - 1, 0.0)  # Was under way before the limit shrank.
            seen.append(limit.current)
        for _ in range(8 + 9):
            limit.succeeded()
        seen.append(limit.current)
        for _ in range(1000):
            limit.succeeded()
        return [*seen, limit.current]

    assert asyncio.run(go()) == [8, 10, 16]


def test_a_server_of_ones_own_alone_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        ask(None, "hello")
    with serving(str.upper) as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.url)
        assert ask(None, "hello")[0].text == "HELLO"


def test_a_kept_reply_is_not_asked_for_again(tmp_path: Path) -> None:
    def replies(*options: dict[str, Any], seed: int | None = None) -> list[Reply]:
        async def work(model: ReadingModel) -> list[Reply]:
            asked = [model.reply("hello", **({"max_tokens": 5} | more)) for more in options]
            return await asyncio.gather(*asked)

        return with_model(served.url, work, cache=tmp_path, seed=seed)

    with serving(str.upper) as served:
        first = replies({}, {})
        again = replies({})
        assert served.paid["hello"] == 1
        assert sorted(reply.cached for reply in first) == [False, True]
        assert again == [Reply("HELLO", Usage(11, 3), cached=True)]
        replies({"max_tokens": 6}, {"temperature": 1}, {"attempt": 1})
        replies({"system": "Be brief."})
        replies({}, seed=1)
        assert served.paid["hello"] == 6


def test_a_full_cache_forgets_what_was_unused_for_longest(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path, limit=1000)
    for i in range(20):
        cache.put(f"key{i:02}", KeptReply(os.urandom(95)))
        cache.get("key00")
        time.sleep(0.001)
    assert cache.contents().bytes <= 1000
    assert [bool(cache.get(key)) for key in ("key00", "key01", "key19")] == [True, False, True]
    cache.clear()
    assert cache.contents() == (0, 0)


def test_event_loops_in_several_threads_share_a_limit() -> None:
    limit, held, most = AdaptiveLimit(3), set[object](), list[int]()

    async def hold() -> None:
        async with limit.slot():
            held.add(own := object())
            most.append(len(held))
            try:
                await asyncio.sleep(0.001)
            finally:  # Also when it is given up.
                held.remove(own)

    async def work(seed: int) -> int:
        tasks = [asyncio.create_task(hold()) for _ in range(60)]
        await asyncio.sleep(0.003)
        for task in random.Random(seed).sample(tasks, 10):
            task.cancel()
        return (await asyncio.gather(*tasks, return_exceptions=True)).count(None)

    with ThreadPoolExecutor(3) as pool:
        done = [*pool.map(asyncio.run, map(work, range(3)), timeout=20)]
    assert max(most) == 3
    assert min(done) >= 50

    async def three_at_once() -> None:
        async with asyncio.timeout(5), limit.slot(), limit.slot(), limit.slot():
            pass

    asyncio.run(three_at_once())  # No slot was lost.


@pytest.mark.parametrize("location", ["/v2/chat/completions", "http://b/v1", "//b:x"])
def test_no_redirect_is_followed(location: str) -> None:
    with serving(lambda _: Fault("307", {"Location": location})) as served:
        with pytest.raises(ModelUnavailableError, match="redirects to"):
            ask(served.url, "hello")
        assert len(served.requests) == 1


def test_a_memory_server_may_not_send_us_elsewhere() -> None:
    with serving_memories(lambda path, body: (200, {"session": "s", "kind": "agent"})) as other:

        class Redirecting(Handler):
            def respond(self) -> None:
                self.read()
                self.send(b"", 307, Location=other.url.replace("//", "//me:password@") + "/reset")

        with running(Redirecting) as url, pytest.raises(UsageError, match="redirects to") as raised:
            http_factory(url)()
    assert "me:password" not in str(raised.value)
    assert other.exchanges == []


_QUICK = RetryPolicy(attempts=3, first=0.01, longest=0.05, timeout=0.3, patience=0.6)


def test_a_preflight_names_the_fault_and_the_remedy() -> None:
    nobody = f"http://127.0.0.1:{free_port()}/v1"
    with pytest.raises(ModelUnavailableError, match="connection is refused; start it") as refused:
        with_model(nobody, ReadingModel.preflight, _QUICK)
    assert refused.value.parameter == "base_url"
    with pytest.raises(ModelUnavailableError, match="the host name cannot be resolved"):
        with_model("http://nobody.invalid/v1", ReadingModel.preflight, _QUICK)
    with serving(str.upper) as served:
        key = "the key is rejected; check OPENAI_API_KEY"
        remedies = {401: key, 403: key, 404: "no model 'm'; check `model`"}
        served.fault = lambda call: [*remedies][call - 1]
        for status, remedy in remedies.items():
            with pytest.raises(ModelUnavailableError, match=f"HTTP {status}.*{remedy}"):
                with_model(served.url, ReadingModel.preflight, _QUICK)
        served.fault = lambda call: 404
        with pytest.raises(ModelUnavailableError, match=rf"did you mean `base_url` {served.url}\?"):
            with_model(served.url.removesuffix("/v1"), ReadingModel.preflight, _QUICK)


@pytest.mark.parametrize("kind", ["429", "500", "503", "400", "garbage", "empty", "drop", "late"])
def test_a_server_that_is_slow_busy_or_in_trouble_passes_the_preflight(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "late":
        monkeypatch.setattr(request_gate, "_PROBE_SECONDS", 0.1)

    async def work(model: ReadingModel) -> str:
        await model.preflight()
        return (await model.reply("hello", 5)).text

    with serving(str.upper) as served:
        served.preflight = lambda _: Fault(kind, body="OK" if kind == "late" else None, seconds=0.3)
        retry = RetryPolicy(first=0.01, timeout=5.0)
        assert with_model(served.url, work, retry) == "HELLO"
        assert served.preflights == 1 or kind == "late"


def test_a_preflight_that_is_put_off_comes_before_the_first_request() -> None:
    async def work(model: ReadingModel) -> None:
        model.preflight_due = True
        async with asyncio.TaskGroup() as tasks:
            for i in range(5):
                tasks.create_task(model.reply(f"{served.preflights} {i}", 5))

    with serving(str.upper) as served:
        with_model(served.url, work, _QUICK)
        assert (served.preflights, len(served.asked)) == (1, 5)
        served.preflight = lambda _: Fault("404")
        with pytest.raises(ExceptionGroup) as failed:
            with_model(served.url, work, _QUICK)
        assert failed.group_contains(ModelUnavailableError, match="no model 'm'")
        assert len(served.asked) == 5


@pytest.mark.parametrize("kind", ["nobody", "500", "hang", "drop"])
def test_a_server_that_stays_away_is_given_up_after_our_patience(kind: str) -> None:
    async def work(model: ReadingModel) -> None:
        await asyncio.gather(*(model.reply(str(i), 5) for i in range(4)))

    begun = time.monotonic()
    with serving(lambda _: Fault(kind)) as served:
        served.preflight = served.answer
        url = f"http://127.0.0.1:{free_port()}/v1" if kind == "nobody" else served.url
        with pytest.raises(ModelUnavailableError, match="has answered nothing for 1 s"):
            with_model(url, work, _QUICK)
    assert time.monotonic() - begun >= 0.6


def test_a_server_that_returns_in_time_costs_no_answer() -> None:
    begun = time.monotonic()

    def answer(prompt: str) -> str | Fault:
        return "fine" if time.monotonic() > begun + 0.4 else Fault("500")

    async def work(model: ReadingModel) -> list[str]:
        return [r.text for r in await asyncio.gather(*(model.reply(str(i), 5) for i in range(4)))]

    with serving(answer) as served:
        served.preflight = answer
        assert with_model(served.url, work, _QUICK) == ["fine"] * 4
        assert min(served.asked.values()) > _QUICK.attempts


@pytest.mark.parametrize("kind", ["500", "drop", "hang"])
def test_a_prompt_that_the_server_cannot_bear_is_no_outage(kind: str) -> None:
    """The server answers the probe, so that the question fails, and not the run."""
    patient = RetryPolicy(attempts=3, first=0.01, timeout=0.3)
    said = {"hang": r"no complete reply within 0\.3 s"}.get(kind)
    with serving(lambda _: Fault(kind)) as served, pytest.raises(ModelError, match=said) as raised:
        with_model(served.url, lambda model: model.reply("poison", 5), patient)
    assert not isinstance(raised.value, ModelUnavailableError)
    assert "asked 4 times" in str(raised.value), "once more after the server answered the probe"
    assert served.asked["poison"] == 4


@pytest.mark.parametrize(
    ("fault", "grace", "pause"),
    [
        (Fault("hang"), 0.1, 0.0),
        (Fault("500"), None, 0.0),
        (Fault("429", {"Retry-After": "600"}), None, 0.0),
        (Fault("500"), None, 0.3),  # It is with the server then, and not sent again.
    ],
)
def test_requests_that_hang_wait_or_fail_are_halted_at_once(
    fault: Fault, grace: float | None, pause: float
) -> None:
    async def stopped(model: ReadingModel, prompt: str) -> None:
        with pytest.raises(ModelStoppedError):
            await model.reply(prompt, 5)

    async def work(model: ReadingModel) -> None:
        async def halt() -> None:
            await asyncio.sleep(0.2)
            await asyncio.to_thread(model.gate.halt, grace)

        await asyncio.gather(halt(), *(stopped(model, str(i)) for i in range(20)))
        await stopped(model, "later")

    with within(300), serving(lambda _: fault) as served:  # A retry waits for 600 s.
        served.pause = pause
        with_model(served.url, work, RetryPolicy(first=3600.0, longest=3600.0))
        assert "later" not in served.asked
