"""The meter passes calls on as they are and counts them, against a server on loopback."""

import json
import multiprocessing
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2 as httpx
import pytest

from mabench.metering import Meter
from mabench.models import CallPhase, ModelAddress, RetryPolicy, Road
from tests.metering.metered import CHAT, PRICES, QUICK, Row, metering
from tests.models.server import FAULTS, KEY, Fault, Served, serving
from tests.waiting import until


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
    with Meter(address, PRICES, Road(retry=patient), gone=reasons.append) as meter:
        row, began = Row(meter), time.monotonic()
        assert row.post().status_code == 403
        assert 0.6 <= time.monotonic() - began < 5
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
        row.meter.road.halt(grace)
        reply = row.post()
        assert (reply.status_code, reply.headers["x-should-retry"]) == (403, "false")
        assert "stopping" in reply.text
        assert under_way.result(timeout=5).status_code == status
    assert row.endpoint.refused == 1 + bool(grace)
    (call,) = row.wait(1)
    assert (bool(call.error), served.calls) == (bool(grace), 1)


def test_all_calls_share_one_limit(served: Served) -> None:
    served.pause = 0.02
    with metering(served.url, limit=2) as meter, ThreadPoolExecutor(8) as pool:
        for reply in [pool.submit(Row(meter).post) for _ in range(12)]:
            assert reply.result().status_code == 200
    assert served.most_in_flight == 2


@pytest.mark.slow
def test_it_adds_little_to_a_call() -> None:
    """Milliseconds at the median, one call at a time."""

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
        bounds = Road(32)
        with Meter(ModelAddress("m", url, KEY), PRICES, bounds) as meter, httpx.Client() as client:
            metered = meter.endpoint(lambda call: None).address.base_url
            direct = sorted(ask(url, number, client) for number in range(500))[250]
            through = sorted(ask(metered, number, client) for number in range(500))[250]
            assert through - direct < 0.002, f"{1000 * (through - direct):.2f} ms more"

    finally:
        here.send("end")
        server.join()


def _serve(pipe: Any) -> None:
    with serving() as served:
        pipe.send(served.url)
        pipe.recv()
