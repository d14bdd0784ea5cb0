"""The meter keeps replies that are whole, and gives them back to the same calls."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from mabench.models import KeptReply, ResponseCache, Usage
from tests.metering.metered import CHAT as DRAWN
from tests.metering.metered import Row, metering
from tests.models.server import KEY, Served, serving

CHAT: dict[str, Any] = {**DRAWN, "temperature": 0}
EMBED: dict[str, Any] = {"model": "e", "input": "x"}
USAGE = {"include_usage": True}


@pytest.fixture
def row(served: Served, tmp_path: Path) -> Iterator[Row]:
    with keeping(served.url, tmp_path) as one:
        yield one


@contextmanager
def keeping(url: str, folder: Path, sends: bool = True) -> Iterator[Row]:
    """Keep the replies to a row, of which a folder may have some already."""
    with metering(url, folder, sends) as meter:
        yield Row(meter)


BODIES = {
    "chat": ("chat/completions", CHAT),
    "stream": ("chat/completions", {**CHAT, "stream": True}),
    "stream with usage": ("chat/completions", {**CHAT, "stream": True, "stream_options": USAGE}),
    "completions": ("completions", {"model": "m", "prompt": "x", "temperature": 0}),
    "responses": ("responses", {"model": "m", "input": "x", "temperature": 0}),
    "embeddings": ("embeddings", EMBED),
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_request_goes_out_once_for_its_bytes(kind: str, served: Served, tmp_path: Path) -> None:
    path, body = BODIES[kind]
    with keeping(served.url, tmp_path) as row:
        other = Row(row.meter)
        first, second, third = [one.post(path, **body) for one in (row, row, other)]
    with keeping(served.url, tmp_path) as later:
        fourth = later.post(path, **body)

    assert served.calls == 1
    assert first.content == second.content == third.content == fourth.content
    (media,) = {one.headers["content-type"] for one in (first, second, third, fourth)}
    assert media.startswith("text/event-stream") == ("stream" in kind)
    paid, kept = row.ended
    (again,) = later.ended
    assert paid.cost
    assert (paid.kept, kept.kept, kept.cost, again.cost) == (False, True, 0, 0)
    assert kept.usage == again.usage == paid.usage
    assert kept.reply == again.reply == paid.reply
    assert not later.begun, "nothing began that went out"


def test_a_reply_is_kept_for_its_server_path_body_and_form(served: Served, tmp_path: Path) -> None:
    with keeping(served.url, tmp_path) as row:
        for more in ({}, {"model": "n"}, {"stream": True}, {"seed": 1}):
            row.post(**CHAT | more)
        row.post("chat/completions?api-version=2", **CHAT)
        httpx.post(f"{row.url}/chat/completions", json=CHAT, headers={"OpenAI-Beta": "x"})
        assert served.calls == 6
        for name in ("X-Request-Id", "User-Agent", "Authorization", "OpenAI-Organization"):
            httpx.post(f"{row.url}/chat/completions", json=CHAT, headers={name: "other"})
        assert served.calls == 6
    with serving() as elsewhere, keeping(elsewhere.url, tmp_path) as row:
        row.post(**CHAT)
        assert elsewhere.calls == 1
    with keeping(f"{served.url}/", tmp_path) as row:
        row.post(**CHAT)
        assert served.calls == 6


def test_another_draw_is_another_reply_but_not_of_a_row(served: Served, tmp_path: Path) -> None:
    drawn = {**CHAT, "temperature": 0.7}
    said = iter(range(100))
    served.reply = lambda content: b'{"choices": [], "said": %d}' % next(said)
    served.fault = lambda call: 400 if call == 1 else None

    def asked(times: int) -> list[int]:
        with keeping(served.url, tmp_path) as row:
            return [row.post(**drawn).json().get("said") for _ in range(times)]

    assert asked(4) == [None, 0, 1, 2], "one that failed leaves the next its number"
    assert asked(2) == [0, 1]
    assert asked(4) == [0, 1, 2, 3]
    assert served.calls == 5


def test_requests_under_way_together_are_paid_once_and_of_two_processes_the_first_counts(
    served: Served, row: Row, tmp_path: Path
) -> None:
    served.pause = 0.1

    def asked(rows: list[Row], body: dict[str, Any]) -> set[bytes]:
        with ThreadPoolExecutor(8) as pool:
            return {*pool.map(lambda row: row.post(**body).content, rows)}

    rows = [row, *(Row(row.meter) for _ in range(7))]
    assert len(asked(rows, CHAT | {"temperature": 1})) == 1
    assert served.calls == 1
    assert sum(call.kept for row in rows for call in row.ended) == 7
    served.reply = lambda content: b'{"choices": [], "said": %d}' % served.calls
    with metering(served.url, tmp_path) as other:
        assert len(asked([row, Row(other)], CHAT)) == 1
    assert served.calls == 3, "both have paid"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", [201, 301, 400, 429, 500, "cut", "drop"])
def test_no_broken_reply_is_kept(
    fault: int | str, stream: bool, served: Served, row: Row, caplog: pytest.LogCaptureFixture
) -> None:
    body = {**CHAT, "stream": stream}
    served.fault = lambda call: fault if served.requests[-1] else None  # It lists its models.
    try:
        row.post(**body)
    except httpx.HTTPError:
        assert (fault, stream) == ("cut", True)
        assert row.wait(1)[0].error
    before = served.calls
    assert not any(call.reply for call in row.ended)
    served.fault = lambda call: None
    assert row.post(**body).status_code == 200
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
    parts: list[bytes], served: Served, row: Row
) -> None:
    streams, body = parts[0].startswith(b"data"), b"".join(parts)
    served.events, served.reply = parts, lambda content: body
    for number in (1, 2):
        assert row.post(**CHAT | {"stream": streams}).content == body
        assert served.calls == number


def test_responses_in_the_background_and_other_paths_are_not_kept(served: Served, row: Row) -> None:
    for _ in range(2):
        row.post("responses", model="m", input="x", background=True)
        row.post("rerank", model="m")
        httpx.get(f"{row.url}/responses/1")
    assert served.calls == 6


def test_a_long_reply_is_kept(served: Served, row: Row) -> None:
    long = b'{"data": [%s], "usage": {"prompt_tokens": 9}}' % b", ".join([b"0.123456"] * 400_000)
    served.reply = lambda content: long
    for _ in range(2):
        assert row.post("embeddings", **EMBED).content == long
    assert served.calls == 1
    assert [call.usage and call.usage.input_tokens for call in row.ended] == [9, 9]


def test_no_key_is_kept_and_no_reply_that_repeats_one(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    served.reply = lambda content: b'{"choices": [], "said": "%s"}' % KEY.encode()
    with keeping(served.url, tmp_path) as row:
        row.post(**CHAT)
        row.post(**CHAT)
        assert served.calls == 2
        served.reply = None
        row.post(**CHAT)
    assert served.calls == 3
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert KEY.encode() not in content
        assert row.token.encode() not in content


def test_a_replay_sends_nothing_and_names_what_is_not_kept(served: Served, tmp_path: Path) -> None:
    with keeping(served.url, tmp_path) as row:
        sent = [row.post(path, **body).content for path, body in BODIES.values()]
    url, before = served.url, served.calls
    with keeping(url, tmp_path, sends=False) as row:
        assert [row.post(path, **body).content for path, body in BODIES.values()] == sent
        assert not row.missed
        began = time.monotonic()
        refused = row.post(**CHAT | {"model": "other"})
        assert time.monotonic() - began < 1
        assert (refused.status_code, refused.headers["x-should-retry"]) == (403, "false")
        row.post("rerank", model="m")
        httpx.get(f"{row.url}/files")
    assert served.calls == before
    assert row.endpoint.refused == 3
    assert str(tmp_path) in row.missed[0]
    what = ("chat/completions of other (request", "rerank of m", "files (request")
    assert all(f"no reply to {one}" in told for one, told in zip(what, row.missed, strict=True))


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
