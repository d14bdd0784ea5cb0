"""The meter passes calls on as they are, counts them, and keeps replies that are whole."""

import json
import multiprocessing
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import openai
import pytest

from mabench.metering import Meter
from mabench.models import (
    Call,
    CallPhase,
    KeptReply,
    ModelAddress,
    Price,
    RequestGate,
    ResponseCache,
    RetryPolicy,
    Usage,
)
from tests.command_line import until
from tests.models.server import FAULTS, KEY, Fault, Served, serving

PRICES = {"m": Price(1.0, 10.0), "e": Price(0.5, 0.0)}
QUICK = RetryPolicy(first=0.01, longest=0.02, attempts=4)
CHAT: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "user", "content": "The capital of France?"}],
}


class Row:
    """The address of a row, what was told of its calls, and what it missed."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.begun: list[Call] = []
        self.ended: list[Call] = []
        self.missed: list[str] = []
        self.endpoint = meter.endpoint(
            lambda call: (self.ended if call.ended else self.begun).append(call), self.missed.append
        )
        _, self.url, self.token, _ = self.endpoint.address

    def post(self, path: str = "chat/completions", **body: Any) -> httpx.Response:
        return httpx.post(f"{self.url}/{path}", json=body or CHAT, timeout=600)

    def client(self) -> openai.OpenAI:
        return openai.OpenAI(base_url=self.url, api_key=self.token, max_retries=0)

    def wait(self, number: int) -> list[Call]:
        """Return the calls once so many have ended."""
        until(lambda: len(self.ended) >= number)
        assert len(self.ended) == len(self.begun) == number
        return self.ended


@contextmanager
def metering(
    url: str, folder: Path | None = None, sends: bool = True, **road: Any
) -> Iterator[Meter]:
    """Meter the server at a URL, with the replies kept in a folder."""
    cache = ResponseCache(folder, reads_only=not sends) if folder else None
    address = ModelAddress("m", url, KEY)
    with Meter(address, PRICES, RequestGate(**{"retry": QUICK, **road}), cache) as meter:
        yield meter


@pytest.fixture
def row(served: Served) -> Iterator[Row]:
    with metering(served.url) as meter:
        yield Row(meter)


def test_a_reply_passes_byte_for_byte_and_is_counted(served: Served, row: Row) -> None:
    sent = b'{ "model":"m",\t"messages" : [{"role":"user","content":"caf\xc3\xa9"}]}'
    headers = {"Content-Type": "application/json", "X-Own": "1"}
    headers |= {"Authorization": "Bearer other", "x-api-key": "other", "Cookie": "a=b"}
    reply = httpx.post(f"{row.url}/chat/completions?a=%2F1", content=sent, headers=headers)
    direct = httpx.post(f"{served.url}/chat/completions?a=%2F1", content=sent)
    assert reply.content == direct.content
    assert reply.headers["content-type"] == direct.headers["content-type"]
    assert served.bodies[0] == sent
    assert served.headers[0]["X-Own"] == "1"
    assert served.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert not {"x-api-key", "cookie"} & {*map(str.lower, served.headers[0])}
    (call,) = row.wait(1)
    assert (call.path, call.model, call.status) == ("chat/completions", "m", 200)
    assert call.usage == (11, 3, 4, False)
    assert call.cost == pytest.approx((11 * 1.0 + 3 * 10.0) / 1e6)
    assert call.phase == CallPhase("memorizing")


def test_embeddings_models_streams_and_unknown_paths_pass(served: Served, row: Row) -> None:
    with row.client() as client:
        client.embeddings.create(model="e", input="x", encoding_format="float")
        assert [model.id for model in client.models.list()] == ["m"]
        row.wait(2)
        asking: Any = {**CHAT, "stream": True, "stream_options": {"include_usage": True}}
        assert [*client.chat.completions.create(**asking)][-1].usage.prompt_tokens == 11
        row.wait(3)
    assert row.post("rerank", model="m", query="q").status_code == 200
    embedding, listing, stream, other = row.wait(4)
    assert embedding.usage == (11, 0, 0, False)
    assert embedding.cost == pytest.approx(5.5e-6)
    assert (listing.path, listing.usage, listing.cost) == ("models", None, None)
    assert (stream.usage, stream.failed) == ((11, 3, 4, False), False), "it hung up at the end"
    assert other.path == "rerank"
    paths = ("embeddings", "models", "chat/completions", "rerank")
    assert served.paths == dict.fromkeys([f"/v1/{path}" for path in paths], 1)


@pytest.mark.parametrize("path", ["chat/completions", "completions"])
@pytest.mark.parametrize("counts", [True, False])
def test_a_stream_passes_as_without_the_meter(
    served: Served, row: Row, counts: bool, path: str
) -> None:
    served.counts = counts
    body = {**CHAT, "stream": True}
    reply = row.post(path, **body)
    direct = httpx.post(f"{served.url}/{path}", json=body)
    assert reply.content == direct.content
    assert served.requests[0]["stream_options"] == {"include_usage": True}
    (call,) = row.wait(1)
    assert call.usage == ((11, 3, 4, False) if counts else (5, 3, 0, True))
    assert call.cost


def test_a_server_that_knows_no_stream_options_gets_none(served: Served, row: Row) -> None:
    unknown = Fault("400", body='{"error": {"message": "unknown: stream_options"}}')
    served.fault = lambda call: unknown if "stream_options" in served.requests[-1] else None
    reply = row.post(**CHAT, stream=True)
    assert reply.status_code == 200
    assert b"Paris" in reply.content
    refused, call = row.wait(2)
    assert (refused.status, call.again) == (400, True)
    assert call.usage
    assert call.usage.estimated


def test_a_response_is_counted_and_a_streamed_one_at_its_end(served: Served, row: Row) -> None:
    usage = {"input_tokens": 21, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 8}}
    done = {"type": "response.completed", "response": {"usage": usage}}
    served.events = [
        b'event: response.output_text.delta\r\ndata: {"type":"response.output_text.delta",'
        b'"delta":"Paris"}\r\n\r\n',
        b"data: " + json.dumps(done).encode() + b"\r\n\r\n",
        b"data: [DONE]\n\n",
    ]
    row.post("responses", model="m", input="where?", stream=True)
    assert row.wait(1)[0].usage == (21, 5, 8, False)
    assert "stream_options" not in served.requests[0]
    served.reply = lambda content: json.dumps({"object": "response", "usage": usage}).encode()
    row.post("responses", model="m", input="where?")
    assert row.wait(2)[1].usage == (21, 5, 8, False)


@pytest.mark.parametrize("place", ["end", "start"])
def test_a_reply_of_50_megabytes_passes_counted(served: Served, row: Row, place: str) -> None:
    usage, filler = b'"usage": {"prompt_tokens": 7, "total_tokens": 7}', b"0.125, " * 7_500_000
    first, last = (usage + b", ", b"") if place == "start" else (b"", b", " + usage)
    reply = b"{" + first + b'"data": [{"embedding": [' + filler + b"0]}]" + last + b"}"
    served.reply = lambda content: reply
    got = row.post("embeddings", model="e", input="x")
    assert len(got.content) == len(reply) > 50_000_000
    assert got.content == reply
    assert row.wait(1)[0].usage == (7, 0, 0, False)


def test_a_client_that_hangs_up_is_counted_and_the_server_notices(served: Served, row: Row) -> None:
    served.fault = lambda call: "hang"
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{row.url}/chat/completions", json=CHAT, timeout=0.3)
    (call,) = row.wait(1)
    assert call.error == "the memory closed the connection"
    until(lambda: served.hung_up == 1, 5)


@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_in_passing_is_sent_again_counted(served: Served, row: Row, fault: Any) -> None:
    served.fault = lambda call: fault if call == 1 else None
    assert row.post().status_code == 200
    failed, good = row.wait(2)
    assert (failed.failed, failed.again) == (True, False)
    assert failed.cost is None or fault == "cut"
    assert (good.failed, good.again, served.calls) == (False, True, 2)


@pytest.mark.parametrize(
    ("status", "calls", "again"),
    [*((status, 1, None) for status in (400, 401, 403, 404, 422)), (429, QUICK.attempts, "false")],
)
def test_other_errors_pass_as_they_are_and_so_does_what_always_fails_in_the_end(
    served: Served, row: Row, status: int, calls: int, again: str | None
) -> None:
    served.fault = lambda call: status
    reply = row.post()
    assert (reply.status_code, reply.json()) == (status, {"error": {"message": f"status {status}"}})
    assert reply.headers.get("x-should-retry") == again
    assert [call.status for call in row.wait(calls)] == [status] * calls
    served.fault = lambda call: 307
    reply = row.post()
    assert (reply.status_code, served.calls) == (502, calls + 1)
    assert "redirects, which is not followed" in reply.json()["error"]["message"]
    assert "location" not in reply.headers


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *((path, 401) for path in ("v1/models", "sk-mabench-guessed/v1/models", "")),
        *((f"{{token}}{path}", 404) for path in ("", "/v1/../admin", "/v1/%2e%2e/admin")),
        *((f"{{token}}/v1/{path}", 404) for path in ("a/..%2f/../b", "chat//completions")),
    ],
)
def test_nothing_passes_without_the_token_or_leads_out_of_the_servers_own(
    served: Served, row: Row, path: str, status: int
) -> None:
    host, port = row.url.split("/")[2].split(":")
    path = path.format(token=row.token)
    head = f"GET /{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {row.token}\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=5) as stream:
        stream.sendall(head.encode())
        assert f" {status} ".encode() in stream.recv(200)
    assert served.calls == 0


def test_long_requests_are_refused(
    served: Served, row: Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mabench.metering.meter._LONGEST_REQUEST", 1000)
    assert row.post(**CHAT, padding="x" * 2000).status_code == 413
    assert served.calls == 0


def test_it_listens_on_loopback_alone_and_not_after_its_end() -> None:
    with metering("http://127.0.0.1:9/v1") as meter:
        port = int(Row(meter).url.split(":")[2].split("/")[0])
        socket.create_connection(("127.0.0.1", port)).close()
        own = socket.gethostbyname(socket.gethostname())
        if not own.startswith("127.0.0.1"):
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((own, port), timeout=2)
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=2)


def test_a_server_that_is_away_is_waited_for_and_then_given_up() -> None:
    reasons: list[str] = []
    patient = RetryPolicy(first=0.01, longest=0.02, attempts=2, patience=0.6)
    address = ModelAddress("m", "http://127.0.0.1:9/v1", KEY)
    with Meter(address, PRICES, RequestGate(retry=patient), on_unavailable=reasons.append) as meter:
        row, began = Row(meter), time.monotonic()
        assert row.post().status_code == 403
        assert time.monotonic() - began >= 0.6
    assert row.endpoint.refused == 1
    assert len(row.ended) > patient.attempts
    assert "has answered nothing for" in reasons[0]


def test_one_call_that_the_server_cannot_bear_is_no_outage(served: Served, row: Row) -> None:
    served.fault = lambda call: 500 if served.requests[-1] else None
    assert row.post().status_code == 500
    calls = row.wait(QUICK.attempts + 3)
    probed = ["models", "chat/completions", "models"]  # It may have come back: once more.
    assert [call.path for call in calls] == ["chat/completions"] * QUICK.attempts + probed
    assert served.calls == len(calls), "whether it answers at all was asked, too"


@pytest.mark.parametrize(("grace", "status"), [(None, 200), (0.1, 403)])
def test_halting_refuses_new_calls_and_awaits_what_is_under_way_as_long_as_it_may(
    served: Served, row: Row, grace: float | None, status: int
) -> None:
    served.pause = 0.3
    served.fault = lambda call: "hang" if grace else None
    with ThreadPoolExecutor() as pool:
        under_way = pool.submit(row.post)
        until(lambda: served.calls)
        row.meter.gate.halt(grace)
        reply = row.post()
        assert (reply.status_code, reply.headers["x-should-retry"]) == (403, "false")
        assert "stopping" in reply.text
        assert under_way.result(timeout=600).status_code == status
    assert row.endpoint.refused == 1 + bool(grace)
    (call,) = row.wait(1)
    assert (bool(call.error), served.calls) == (bool(grace), 1)


def test_all_calls_share_one_limit(served: Served) -> None:
    # The first is not answered before the second is there.
    served.fault = lambda call: until(lambda: served.most_in_flight > 1) if call == 1 else None
    with metering(served.url, limit=2) as meter, ThreadPoolExecutor(8) as pool:
        for reply in [pool.submit(Row(meter).post) for _ in range(12)]:
            assert reply.result().status_code == 200
    assert served.most_in_flight == 2


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
        bounds = RequestGate(32)
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
    began = time.perf_counter()
    with httpx.Client(timeout=60) as client, ThreadPoolExecutor(16) as pool:
        for reply in pool.map(
            lambda _: client.post(f"{url}/chat/completions", json=CHAT), range(2000)
        ):
            reply.raise_for_status()
    pipe.send(time.perf_counter() - began)


EXACT: dict[str, Any] = {**CHAT, "temperature": 0}
EMBED: dict[str, Any] = {"model": "e", "input": "x"}
USAGE = {"include_usage": True}


@pytest.fixture
def keeper(served: Served, tmp_path: Path) -> Iterator[Row]:
    with keeping(served.url, tmp_path) as one:
        yield one


@contextmanager
def keeping(url: str, folder: Path, sends: bool = True) -> Iterator[Row]:
    """Keep the replies to a keeper, of which a folder may have some already."""
    with metering(url, folder, sends) as meter:
        yield Row(meter)


BODIES = {
    "chat": ("chat/completions", EXACT),
    "stream": ("chat/completions", {**EXACT, "stream": True}),
    "stream with usage": ("chat/completions", {**EXACT, "stream": True, "stream_options": USAGE}),
    "completions": ("completions", {"model": "m", "prompt": "x", "temperature": 0}),
    "responses": ("responses", {"model": "m", "input": "x", "temperature": 0}),
    "embeddings": ("embeddings", EMBED),
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_request_goes_out_once_for_its_bytes(kind: str, served: Served, tmp_path: Path) -> None:
    path, body = BODIES[kind]
    with keeping(served.url, tmp_path) as keeper:
        other = Row(keeper.meter)
        first, second, third = [one.post(path, **body) for one in (keeper, keeper, other)]
    with keeping(served.url, tmp_path) as later:
        fourth = later.post(path, **body)

    assert served.calls == 1
    assert first.content == second.content == third.content == fourth.content
    (media,) = {one.headers["content-type"] for one in (first, second, third, fourth)}
    assert media.startswith("text/event-stream") == ("stream" in kind)
    paid, kept = keeper.ended
    (again,) = later.ended
    assert paid.cost
    assert (paid.kept, kept.kept, kept.cost, again.cost) == (False, True, 0, 0)
    assert kept.usage == again.usage == paid.usage
    assert kept.reply == again.reply == paid.reply
    assert not later.begun, "nothing began that went out"


def test_a_reply_is_kept_for_its_server_path_body_and_form(served: Served, tmp_path: Path) -> None:
    with keeping(served.url, tmp_path) as keeper:
        for more in ({}, {"model": "n"}, {"stream": True}, {"seed": 1}):
            keeper.post(**EXACT | more)
        keeper.post("chat/completions?api-version=2", **EXACT)
        httpx.post(f"{keeper.url}/chat/completions", json=EXACT, headers={"OpenAI-Beta": "x"})
        assert served.calls == 6
        for name in ("X-Request-Id", "User-Agent", "Authorization", "OpenAI-Organization"):
            httpx.post(f"{keeper.url}/chat/completions", json=EXACT, headers={name: "other"})
        assert served.calls == 6
    with serving() as elsewhere, keeping(elsewhere.url, tmp_path) as keeper:
        keeper.post(**EXACT)
        assert elsewhere.calls == 1
    with keeping(f"{served.url}/", tmp_path) as keeper:
        keeper.post(**EXACT)
        assert served.calls == 6


def test_another_draw_is_another_reply_but_not_of_a_row(served: Served, tmp_path: Path) -> None:
    drawn = {**EXACT, "temperature": 0.7}
    said = iter(range(100))
    served.reply = lambda content: b'{"choices": [], "said": %d}' % next(said)
    served.fault = lambda call: 400 if call == 1 else None

    def asked(times: int) -> list[int]:
        with keeping(served.url, tmp_path) as keeper:
            return [keeper.post(**drawn).json().get("said") for _ in range(times)]

    assert asked(4) == [None, 0, 1, 2], "one that failed leaves the next its number"
    assert asked(2) == [0, 1]
    assert asked(4) == [0, 1, 2, 3]
    assert served.calls == 5


def test_requests_under_way_together_are_paid_once_and_of_two_processes_the_first_counts(
    served: Served, keeper: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups: list[str] = []
    look_up = ResponseCache.lookup

    def count_and_look_up(cache: ResponseCache, key: str, *named: Any) -> Any:
        lookups.append(key)
        return look_up(cache, key, *named)

    monkeypatch.setattr(ResponseCache, "lookup", count_and_look_up)
    # The server answers once all are under way.
    served.fault = lambda call: until(lambda: len(lookups) == 8)

    def asked(rows: list[Row], body: dict[str, Any]) -> set[bytes]:
        with ThreadPoolExecutor(8) as pool:
            return {*pool.map(lambda keeper: keeper.post(**body).content, rows)}

    rows = [keeper, *(Row(keeper.meter) for _ in range(7))]
    assert len(asked(rows, EXACT | {"temperature": 1})) == 1
    assert served.calls == 1
    assert sum(call.kept for keeper in rows for call in keeper.ended) == 7
    served.fault = lambda call: until(lambda: served.calls == 3)
    served.reply = lambda content: b'{"choices": [], "said": %d}' % served.calls
    with metering(served.url, tmp_path) as other:
        assert len(asked([keeper, Row(other)], EXACT)) == 1
    assert served.calls == 3, "both have paid"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", [201, 301, 400, 429, 500, "cut", "drop"])
def test_no_broken_reply_is_kept(
    fault: int | str, stream: bool, served: Served, keeper: Row, caplog: pytest.LogCaptureFixture
) -> None:
    body = {**EXACT, "stream": stream}
    served.fault = lambda call: fault if served.requests[-1] else None  # It lists its models.
    try:
        keeper.post(**body)
    except httpx.HTTPError:
        assert (fault, stream) == ("cut", True)
        assert keeper.wait(1)[0].error
    before = served.calls
    assert not any(call.reply for call in keeper.ended)
    served.fault = lambda call: None
    assert keeper.post(**body).status_code == 200
    assert served.calls == before + 1
    assert not caplog.records


@pytest.mark.parametrize(
    "parts",
    [
        *([b'{"error": {"message": "no"}}'], [b'{"choices": ['], [b"[]"]),
        [b'data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n'],
        [b'data: {"error":{"message":"overloaded"}}\n\n', b"data: [DONE]\n\n"],
    ],
)
def test_an_error_of_status_200_and_a_stream_with_no_end_are_not_kept(
    parts: list[bytes], served: Served, keeper: Row
) -> None:
    streams, body = parts[0].startswith(b"data"), b"".join(parts)
    served.events, served.reply = parts, lambda content: body
    for number in (1, 2):
        assert keeper.post(**EXACT | {"stream": streams}).content == body
        assert served.calls == number


def test_calls_in_the_background_and_other_paths_are_not_kept(served: Served, keeper: Row) -> None:
    for _ in range(2):
        keeper.post("responses", model="m", input="x", background=True)
        keeper.post("rerank", model="m")
        httpx.get(f"{keeper.url}/responses/1")
    assert served.calls == 6


def test_a_long_reply_is_kept(served: Served, keeper: Row) -> None:
    long = b'{"data": [%s], "usage": {"prompt_tokens": 9}}' % b", ".join([b"0.123456"] * 400_000)
    served.reply = lambda content: long
    for _ in range(2):
        assert keeper.post("embeddings", **EMBED).content == long
    assert served.calls == 1
    assert [call.usage and call.usage.input_tokens for call in keeper.ended] == [9, 9]


def test_no_key_is_kept_and_no_reply_that_repeats_one(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    served.reply = lambda content: b'{"choices": [], "said": "%s"}' % KEY.encode()
    with keeping(served.url, tmp_path) as keeper:
        keeper.post(**EXACT)
        keeper.post(**EXACT)
        assert served.calls == 2
        served.reply = None
        keeper.post(**EXACT)
    assert served.calls == 3
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert KEY.encode() not in content
        assert keeper.token.encode() not in content


def test_a_replay_sends_nothing_and_names_what_is_not_kept(served: Served, tmp_path: Path) -> None:
    with keeping(served.url, tmp_path) as keeper:
        sent = [keeper.post(path, **body).content for path, body in BODIES.values()]
    url, before = served.url, served.calls
    with keeping(url, tmp_path, sends=False) as keeper:
        assert [keeper.post(path, **body).content for path, body in BODIES.values()] == sent
        assert not keeper.missed
        refused = keeper.post(**EXACT | {"model": "other"})
        assert (refused.status_code, refused.headers["x-should-retry"]) == (403, "false")
        keeper.post("rerank", model="m")
        httpx.get(f"{keeper.url}/files")
    assert served.calls == before
    assert keeper.endpoint.refused == 3
    assert str(tmp_path) in keeper.missed[0]
    what = ("chat/completions of other (request", "rerank of m", "files (request")
    assert all(f"no reply to {one}" in told for one, told in zip(what, keeper.missed, strict=True))


def test_many_threads_keep_and_find_replies(tmp_path: Path) -> None:
    body = KeptReply(b'{"a": 1}', Usage(1, 2), "application/json")

    def work(start: int) -> None:
        cache = ResponseCache(tmp_path)
        for number in range(start, start + 100):
            assert cache.put(str(number), body) == body
            assert cache.get(str(number)) == body
        cache.close()

    with ThreadPoolExecutor(4) as pool:
        [*pool.map(work, (0, 50, 100, 0))]
    assert ResponseCache(tmp_path).contents().replies == 200
