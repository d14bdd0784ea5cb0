"""Rows that call at the same time are counted apart, whatever fails, and whatever they call."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2 as httpx
import pytest

from mabench.metering import Meter
from mabench.models import Call, CallPhase, ModelAddress, RetryPolicy, Road
from mabench.models.pacing import AdaptiveLimit
from tests.metering.upstream import KEY, Served

_FAULTS: list[int | str] = [408, 409, 425, 429, 500, 502, 503, "drop", "cut"]
_ROWS = 8
_CALLS = 30


@pytest.fixture
def meter(served: Served) -> Iterator[Meter]:
    retry = RetryPolicy(first=0.01, longest=0.02, attempts=8)
    bounds = Road(AdaptiveLimit(32), retry)
    with Meter(ModelAddress("m", served.url, KEY), {}, bounds) as one:
        yield one


def _fault(call: int) -> int | str | None:
    return _FAULTS[call // 10 % len(_FAULTS)] if call % 10 < 3 else None


def _body(row: int, number: int) -> tuple[str, dict[str, Any]]:
    """Return what a row asks: a chat, a stream, or an embedding, and which row and phase it is."""
    known = {"model": "m", "user": f"{row} {'answering' if number % 2 else 'memorizing'}"}
    if number % 3 == 2:
        return "embeddings", {**known, "input": f"text {number}"}
    messages = [{"role": "user", "content": f"text {number}"}]
    return "chat/completions", {**known, "messages": messages, "stream": number % 3 == 1}


def test_each_row_and_phase_has_the_calls_that_the_server_got_of_it(
    served: Served, meter: Meter
) -> None:
    served.fault = _fault
    told: dict[int, list[Call]] = {row: [] for row in range(_ROWS)}

    def use(row: int) -> None:
        endpoint = meter.endpoint(lambda call: told[row].append(call) if call.ended else None)
        url = endpoint.address.base_url
        with httpx.Client(timeout=60) as client:
            for number in range(_CALLS):
                endpoint.phase = (
                    CallPhase("answering", number) if number % 2 else CallPhase("memorizing")
                )
                path, body = _body(row, number)
                try:
                    client.post(f"{url}/{path}", json=body)
                except httpx.HTTPError:
                    assert body.get("stream")  # Its start had come when it broke off.

    with ThreadPoolExecutor(_ROWS) as pool:
        [*pool.map(use, range(_ROWS))]
    meter.close()  # What is told of the last call is told by then.
    counted = Counter(f"{row} {call.phase.name}" for row, calls in told.items() for call in calls)
    assert counted == Counter(request["user"] for request in served.requests)
    assert served.calls > _ROWS * _CALLS
    good = [call for calls in told.values() for call in calls if not call.failed]
    assert {call.usage for call in good if call.path == "embeddings"} == {(11, 0, 0, False)}
    assert {call.usage for call in good if call.path != "embeddings"} == {(11, 3, 4, False)}
    assert 14 * len(good) == served.tokens  # It counts all replies alike.


@pytest.mark.parametrize(
    ("path", "usage", "expected"),
    [
        ("completions", {"prompt_tokens": 9, "completion_tokens": 2}, (9, 2, 0, False)),
        (
            "responses",
            {"input_tokens": 8, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 6}},
            (8, 5, 6, False),
        ),
    ],
)
def test_completions_and_responses_are_counted(
    served: Served, meter: Meter, path: str, usage: dict[str, Any], expected: tuple[object, ...]
) -> None:
    served.reply = lambda content: json.dumps({"object": path, "usage": usage}).encode()
    told: list[Call] = []
    url = meter.endpoint(told.append).address.base_url
    reply = httpx.post(f"{url}/{path}", json={"model": "m", "prompt": "x"})
    assert reply.json() == {"object": path, "usage": usage}
    assert told[-1].usage == expected


def test_a_streamed_completion_is_asked_for_its_usage(served: Served, meter: Meter) -> None:
    told: list[Call] = []
    url = meter.endpoint(told.append).address.base_url
    body = {"model": "m", "prompt": "x", "stream": True}
    assert b"usage" not in httpx.post(f"{url}/completions", json=body).content
    assert served.requests[0]["stream_options"] == {"include_usage": True}
    deadline = time.monotonic() + 20  # The client has all of it a moment before it is counted.
    while not told[-1].ended and time.monotonic() < deadline:
        time.sleep(0.01)
    assert told[-1].usage == (11, 3, 4, False)
