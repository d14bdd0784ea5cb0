"""The meter passes calls on as they are and counts them, against a server on loopback."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import httpx2 as httpx
import openai
import pytest

from mabench.metering import Meter, RowEndpoint
from mabench.models import Call, CallPhase, ModelAddress, Price, RetryPolicy, Road
from mabench.models.pacing import AdaptiveLimit
from tests.metering.upstream import KEY, Served, serving

PRICES = {"m": Price(1.0, 10.0), "e": Price(0.5, 0.0)}
QUICK = RetryPolicy(first=0.01, longest=0.02, attempts=4)
CHAT: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "user", "content": "The capital of France?"}],
}


class Told:
    """What a meter told of one row: the beginning and the end of each call."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.begun: list[Call] = []
        self.ended: list[Call] = []

    def __call__(self, call: Call) -> None:
        with self.lock:
            (self.ended if call.ended else self.begun).append(call)

    def wait(self, number: int) -> list[Call]:
        end = time.monotonic() + 10
        while len(self.ended) < number and time.monotonic() < end:
            time.sleep(0.01)
        assert len(self.ended) == len(self.begun) == number
        return self.ended


class Metered:
    """A meter, a endpoint of it, and what was told of the endpoint."""

    def __init__(self, meter: Meter, served: Served) -> None:
        self.meter, self.served, self.told = meter, served, Told()
        self.endpoint: RowEndpoint = meter.endpoint(self.told)
        _, self.url, self.token = self.endpoint.address

    def post(self, path: str = "chat/completions", **body: Any) -> httpx.Response:
        return httpx.post(f"{self.url}/{path}", json=body or CHAT, timeout=20)

    def client(self) -> openai.OpenAI:
        return openai.OpenAI(base_url=self.url, api_key=self.token, max_retries=0)


@contextmanager
def metering(served: Served, **bounds: Any) -> Iterator[Metered]:
    bounds.setdefault("retry", QUICK)
    address = ModelAddress("m", served.url, KEY)
    with Meter(address, PRICES, Road(**bounds)) as meter:
        yield Metered(meter, served)


@pytest.fixture
def metered() -> Iterator[Metered]:
    with serving() as served, metering(served) as one:
        yield one


def test_a_reply_passes_byte_for_byte_and_is_counted(metered: Metered) -> None:
    sent = b'{ "model":"m",\t"messages" : [{"role":"user","content":"caf\xc3\xa9"}]}'
    headers = {"Content-Type": "application/json", "X-Own": "1"}
    reply = httpx.post(f"{metered.url}/chat/completions?a=%2F1", content=sent, headers=headers)
    direct = httpx.post(f"{metered.served.url}/chat/completions?a=%2F1", content=sent)
    assert reply.content == direct.content
    assert reply.headers["content-type"] == direct.headers["content-type"]
    assert metered.served.bodies[0] == sent
    assert metered.served.headers[0]["X-Own"] == "1"
    assert metered.served.headers[0]["Authorization"] == f"Bearer {KEY}"
    (call,) = metered.told.wait(1)
    assert (call.path, call.model, call.status) == ("chat/completions", "m", 200)
    assert call.usage == (11, 3, 4, False)
    assert call.cost == pytest.approx((11 * 1.0 + 3 * 10.0) / 1e6)
    assert call.phase == CallPhase("memorizing")


def test_embeddings_models_and_unknown_paths_pass(metered: Metered) -> None:
    with metered.client() as client:
        client.embeddings.create(model="e", input="x", encoding_format="float")
        assert [model.id for model in client.models.list()] == ["m"]
    assert metered.post("rerank", model="m", query="q").status_code == 200
    embedding, listing, other = metered.told.wait(3)
    assert embedding.usage == (11, 0, 0, False)
    assert embedding.cost == pytest.approx(5.5e-6)
    assert (listing.path, listing.usage, listing.cost) == ("models", None, None)
    assert other.path == "rerank"
    assert metered.served.paths == {"/v1/embeddings": 1, "/v1/models": 1, "/v1/rerank": 1}


@pytest.mark.parametrize("counts", [True, False])
def test_a_stream_passes_as_without_the_meter(metered: Metered, counts: bool) -> None:
    metered.served.counts = counts
    body = {**CHAT, "stream": True}
    reply = metered.post(**body)
    direct = httpx.post(f"{metered.served.url}/chat/completions", json=body)
    assert reply.content == direct.content
    assert metered.served.requests[0]["stream_options"] == {"include_usage": True}
    (call,) = metered.told.wait(1)
    assert call.usage
    assert call.usage.estimated is not counts
    assert call.usage.input_tokens == (11 if counts else 5)
    assert call.usage.output_tokens == 3
    assert call.cost


def test_a_stream_that_asks_for_its_usage_gets_it(metered: Metered) -> None:
    options = {"include_usage": True}
    with metered.client() as client:
        stream = client.chat.completions.create(stream=True, stream_options=options, **CHAT)  # type: ignore[call-overload]
        assert [*stream][-1].usage.prompt_tokens == 11
    (call,) = metered.told.wait(1)
    assert call.usage == (11, 3, 4, False)


def test_a_server_that_knows_no_stream_options_gets_none(metered: Metered) -> None:
    metered.served.knows_stream_options = False
    reply = metered.post(**CHAT, stream=True)
    assert reply.status_code == 200
    assert b"Paris" in reply.content
    refused, call = metered.told.wait(2)
    assert refused.status == 400
    assert call.again
    assert call.usage
    assert call.usage.estimated


def test_a_streamed_response_is_counted_at_its_end(metered: Metered) -> None:
    usage = {
        "input_tokens": 21,
        "output_tokens": 5,
        "input_tokens_details": {"cached_tokens": 8},
    }
    done = {"type": "response.completed", "response": {"usage": usage}}
    metered.served.events = [
        b'event: response.output_text.delta\r\ndata: {"type":"response.output_text.delta",'
        b'"delta":"Paris"}\r\n\r\n',
        b"data: " + json.dumps(done).encode() + b"\r\n\r\n",
    ]
    metered.post("responses", model="m", input="where?", stream=True)
    assert metered.told.wait(1)[0].usage == (21, 5, 8, False)
    assert "stream_options" not in metered.served.requests[0]


def test_tools_and_formats_pass_untouched(metered: Metered) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    asked = {"response_format": {"type": "json_object"}, "tools": [tool], "tool_choice": "auto"}
    body = json.dumps({**CHAT, **asked}, separators=(", ", " : ")).encode()
    httpx.post(f"{metered.url}/chat/completions", content=body)
    assert metered.served.bodies == [body]


@pytest.mark.parametrize("place", ["end", "start"])
def test_a_reply_of_fifty_megabytes_passes_and_is_counted(metered: Metered, place: str) -> None:
    usage, filler = b'"usage": {"prompt_tokens": 7, "total_tokens": 7}', b"0.125, " * 7_500_000
    first, last = (usage + b", ", b"") if place == "start" else (b"", b", " + usage)
    reply = b"{" + first + b'"data": [{"embedding": [' + filler + b"0]}]" + last + b"}"
    metered.served.reply = lambda content: reply
    got = metered.post("embeddings", model="e", input="x")
    assert len(got.content) == len(reply) > 50_000_000
    assert got.content == reply
    assert metered.told.wait(1)[0].usage == (7, 0, 0, False)


def test_a_client_that_hangs_up_is_counted_and_the_server_notices(metered: Metered) -> None:
    metered.served.fault = lambda call: "hang"
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{metered.url}/chat/completions", json=CHAT, timeout=0.3)
    (call,) = metered.told.wait(1)
    assert call.error == "the memory hung up"
    end = time.monotonic() + 5
    while not metered.served.hung_up and time.monotonic() < end:
        time.sleep(0.01)
    assert metered.served.hung_up == 1


@pytest.mark.parametrize("fault", [408, 409, 425, 429, 500, 502, 503, "drop"])
def test_what_fails_in_passing_is_sent_again_and_counted(metered: Metered, fault: Any) -> None:
    metered.served.fault = lambda call: fault if call == 1 else None
    assert metered.post().status_code == 200
    failed, good = metered.told.wait(2)
    assert failed.failed
    assert failed.cost is None
    assert not failed.again
    assert (good.failed, good.again) == (False, True)
    assert metered.served.calls == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_other_errors_pass_as_they_are(metered: Metered, status: int) -> None:
    metered.served.fault = lambda call: status
    reply = metered.post()
    assert (reply.status_code, reply.json()) == (status, {"error": {"message": f"status {status}"}})
    assert "x-should-retry" not in reply.headers
    assert metered.told.wait(1)[0].status == status


def test_what_always_fails_fails_in_the_end(metered: Metered) -> None:
    metered.served.fault = lambda call: 429
    reply = metered.post()
    assert (reply.status_code, reply.headers["x-should-retry"]) == (429, "false")
    assert len(metered.told.wait(QUICK.attempts)) == metered.served.calls


def test_a_stream_that_breaks_off_breaks_off(
    metered: Metered, caplog: pytest.LogCaptureFixture
) -> None:
    metered.served.fault = lambda call: "cut"
    with pytest.raises(httpx.HTTPError):
        metered.post(**CHAT, stream=True)
    (call,) = metered.told.wait(1)
    assert call.error
    assert call.failed
    assert not caplog.records


def test_a_reply_that_breaks_off_before_its_end_is_asked_for_again(metered: Metered) -> None:
    metered.served.fault = lambda call: "cut" if call == 1 else None
    assert metered.post().status_code == 200
    broken, good = metered.told.wait(2)
    assert broken.failed
    assert not good.failed


def test_no_redirect_is_followed(metered: Metered) -> None:
    metered.served.fault = lambda call: 307
    reply = httpx.post(f"{metered.url}/chat/completions", json=CHAT)
    assert reply.status_code == 502
    assert "redirects" in reply.json()["error"]["message"]
    assert "location" not in reply.headers
    assert metered.served.calls == 1


@pytest.mark.parametrize("path", ["v1/models", "sk-mabench-guessed/v1/models", "", "{token}"])
def test_without_the_token_nothing_passes(metered: Metered, path: str) -> None:
    base = metered.url.removesuffix(f"/{metered.token}/v1")
    headers = {"Authorization": f"Bearer {metered.token}"}
    reply = httpx.get(f"{base}/{path.format(token=metered.token)}", headers=headers)
    assert reply.status_code in (401, 404)
    assert metered.served.calls == 0


@pytest.mark.parametrize("path", ["../admin", "%2e%2e/admin", "a/..%2f/../b", "chat//completions"])
def test_no_path_leads_out_of_the_servers_own(metered: Metered, path: str) -> None:
    base = metered.url.removeprefix("http://").partition("/")
    host, port = base[0].split(":")
    with socket.create_connection((host, int(port)), timeout=5) as stream:
        stream.sendall(f"GET /{base[2]}/{path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert b" 404 " in stream.recv(200)
    assert metered.served.calls == 0


def test_a_request_that_is_too_long_is_refused(
    metered: Metered, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mabench.metering.meter._LONGEST_REQUEST", 1000)
    assert metered.post(**CHAT, padding="x" * 2000).status_code == 413
    assert metered.served.calls == 0


def test_the_key_of_the_memory_is_never_sent_on(metered: Metered) -> None:
    headers = {"Authorization": "Bearer other", "x-api-key": "other", "Cookie": "a=b"}
    httpx.post(f"{metered.url}/chat/completions", json=CHAT, headers=headers)
    got = metered.served.headers[0]
    assert got["Authorization"] == f"Bearer {KEY}"
    assert not {"x-api-key", "Cookie", "X-Api-Key"} & set(got)


def test_it_listens_on_loopback_alone_and_not_after_its_end() -> None:
    with serving() as served:
        with metering(served) as metered:
            port = int(metered.url.split(":")[2].split("/")[0])
            socket.create_connection(("127.0.0.1", port)).close()
            own = socket.gethostbyname(socket.gethostname())
            if not own.startswith("127.0.0.1"):
                with pytest.raises(OSError, match="refused"):
                    socket.create_connection((own, port), timeout=2)
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", port), timeout=2)


def test_rows_and_phases_stand_apart(metered: Metered) -> None:
    told = Told()
    other = metered.meter.endpoint(told)
    url = other.address.base_url
    metered.post()
    metered.endpoint.phase = CallPhase("answering", 3)
    metered.post()
    httpx.post(f"{url}/chat/completions", json=CHAT)
    assert [call.phase for call in metered.told.wait(2)] == [
        ("memorizing", None),
        ("answering", 3),
    ]
    assert [call.phase for call in told.wait(1)] == [("memorizing", None)]
    assert len({call.name for call in [*metered.told.ended, *told.ended]}) == 3


def test_a_server_that_is_away_is_waited_for_and_then_given_up() -> None:
    reasons: list[str] = []
    patient = RetryPolicy(first=0.01, longest=0.02, attempts=2, patience=0.6)
    address = ModelAddress("m", "http://127.0.0.1:9/v1", KEY)
    with Meter(address, PRICES, Road(retry=patient), gone=reasons.append) as meter:
        told = Told()
        endpoint = meter.endpoint(told)
        began = time.monotonic()
        url = endpoint.address.base_url
        reply = httpx.post(f"{url}/chat/completions", json=CHAT, timeout=20)
        assert reply.status_code == 403
        assert 0.6 <= time.monotonic() - began < 5
    assert endpoint.refused == 1
    assert len(told.ended) > patient.attempts
    assert "has answered nothing for" in reasons[0]


def test_one_call_that_the_server_cannot_bear_is_no_outage(metered: Metered) -> None:
    metered.served.fault = lambda call: 500 if metered.served.requests[-1] else None
    assert metered.post().status_code == 500
    calls = metered.told.wait(QUICK.attempts + 3)
    probed = ["models", "chat/completions", "models"]  # It may have come back: once more.
    assert [call.path for call in calls] == ["chat/completions"] * QUICK.attempts + probed
    assert metered.served.calls == len(calls), "whether it answers at all was asked, too"


def test_halting_refuses_new_calls_and_finishes_what_is_with_the_server(metered: Metered) -> None:
    metered.served.pause = 0.3
    with ThreadPoolExecutor() as pool:
        under_way = pool.submit(metered.post)
        while not metered.served.calls:
            time.sleep(0.01)
        metered.meter.halt(None)
        reply = metered.post()
        assert (reply.status_code, reply.headers["x-should-retry"]) == (403, "false")
        assert "stopping" in reply.text
        assert under_way.result().status_code == 200
    assert metered.endpoint.refused == 1
    assert len(metered.told.wait(1)) == metered.served.calls


def test_halting_with_a_grace_ends_what_hangs_and_what_waits(metered: Metered) -> None:
    metered.served.fault = lambda call: "hang"
    with ThreadPoolExecutor() as pool:
        under_way = pool.submit(metered.post)
        while not metered.served.calls:
            time.sleep(0.01)
        metered.meter.halt(0.1)
        assert under_way.result(timeout=5).status_code == 403
    assert metered.told.wait(1)[0].error
    assert metered.endpoint.refused == 1


def test_all_calls_share_one_limit() -> None:
    with serving() as served, metering(served, limit=AdaptiveLimit(2)) as metered:
        served.pause = 0.02
        with ThreadPoolExecutor(8) as pool:
            for reply in [pool.submit(metered.post) for _ in range(12)]:
                assert reply.result().status_code == 200
        assert served.most_in_flight == 2


def test_a_thousand_calls_with_faults_are_counted_as_the_server_counts_them() -> None:
    faults: list[int | str] = [408, 409, 425, 429, 500, 502, 503, "drop", "cut"]

    def fault(call: int) -> int | str | None:
        return faults[call // 10 % len(faults)] if call % 10 < 3 else None

    with serving() as served, metering(served, limit=AdaptiveLimit(32)) as metered:
        served.fault = fault
        with (
            ThreadPoolExecutor(16) as pool,
            httpx.Client(limits=httpx.Limits(max_connections=None)) as client,
        ):

            def ask(number: int) -> None:
                body = {**CHAT, "stream": number % 3 == 0, "user": str(number)}
                with suppress(httpx.HTTPError):
                    client.post(f"{metered.url}/chat/completions", json=body, timeout=60)

            number = 0
            while served.calls < 1000:
                [*pool.map(ask, range(number, number + 100))]
                number += 100
        calls = metered.told.wait(served.calls)
        good = [call for call in calls if not call.failed]
        probes = sum(call.path == "models" for call in good)  # It counts all replies alike.
        assert sum(sum(call.usage[:2]) for call in good if call.usage) == (
            served.tokens - 14 * probes
        )
        assert len({call.name for call in calls}) == served.calls
        assert any(call.again for call in good)


@pytest.mark.slow
def test_it_adds_little_to_a_call_and_holds_many() -> None:
    """Milliseconds at the median, one call at a time; then calls a second, sixteen at a time."""

    def ask(url: str, number: int, client: httpx.Client) -> float:
        began = time.perf_counter()
        assert client.post(f"{url}/chat/completions", json=CHAT).status_code == 200
        return time.perf_counter() - began

    context = multiprocessing.get_context("spawn")
    there, here = context.Pipe()
    server = context.Process(target=_serve, args=(there,))
    server.start()
    try:
        url = here.recv()
        bounds = Road(AdaptiveLimit(32))
        with Meter(ModelAddress("m", url, KEY), PRICES, bounds) as meter, httpx.Client() as client:
            metered = meter.endpoint(lambda call: None).address.base_url
            direct = sorted(ask(url, number, client) for number in range(500))[250]
            through = sorted(ask(metered, number, client) for number in range(500))[250]
            assert through - direct < 0.002, f"{1000 * (through - direct):.2f} ms more"
            asking = context.Process(target=_ask_many, args=(metered, there))
            used = time.process_time()
            asking.start()
            seconds = here.recv()
            used = time.process_time() - used
            asking.join()
        print(f"{1000 * (through - direct):.2f} ms a call, {2000 / seconds:.0f} calls a second")
        print(f"{2000 / used:.0f} calls a second of CPU time")
        assert 2000 / used > 500
    finally:
        here.send("end")
        server.join()


def _serve(pipe: Any) -> None:
    with serving() as served:
        pipe.send(served.url)
        pipe.recv()


def _ask_many(url: str, pipe: Any) -> None:
    async def ask() -> float:
        async with httpx.AsyncClient(timeout=60) as client:
            numbers = iter(range(2000))

            async def one() -> None:
                for _ in numbers:
                    (await client.post(f"{url}/chat/completions", json=CHAT)).raise_for_status()

            began = time.perf_counter()
            await asyncio.gather(*[one() for _ in range(16)])
            return time.perf_counter() - began

    pipe.send(asyncio.run(ask()))
