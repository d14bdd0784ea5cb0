"""What mabench adds to requests to the model of this machine: seconds, and seconds of CPU.

A run of ``bm25`` over rows asks the model, then a bare client of a few lines sends the same
requests to the same server, then the other way round, and so on in turn. Loading of libraries and
of the model is not in the figures. The CPU is that of all processes, the server's included.

    mabench generate ruler_qa1_197K --tokens 8k --rows 4 --questions 15 --seed 55 --out rows/ruler
    python benchmarks/local_client.py --data rows/ruler [--questions N] [--rounds N]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import mabench
from mabench.models import ModelSpec, ReadingModel
from mabench.models.address import ModelAddress
from mabench.models.preflight import PREFLIGHT_PROMPT
from mabench.models.server import ChatModel
from mabench.specs import InjectionSpec, Limits

_TICKS = os.sysconf("SC_CLK_TCK")
Bodies = list[dict[str, Any]]


class Cost(NamedTuple):
    """What a number of requests took."""

    seconds: float
    cpu: float

    def over(self, other: Cost) -> Cost:
        """Return by how many percent this is more than another."""
        parts = zip(self, other, strict=True)
        return Cost(*(100 * (mine / others - 1) for mine, others in parts))


def _cpu() -> float:
    """Return the seconds of CPU of this process and of its children, those that run included."""
    ended = sum(
        sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    children = " ".join(file.read_text() for file in Path("/proc/self/task").glob("*/children"))
    running = 0
    for child in children.split():
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        running += int(fields[11]) + int(fields[12])
    return ended + running / _TICKS


def _measure(ask: Callable[[], list[str]]) -> tuple[Cost, list[str]]:
    """Return what asking took, and the answers."""
    started, before = time.perf_counter(), _cpu()
    answers = ask()
    return Cost(time.perf_counter() - started, _cpu() - before), answers


def _note_requests() -> Bodies:
    """Have every request to a model noted from now on, but for the one that is a preflight."""
    noted: Bodies = []
    send = ChatModel.send

    async def noting(self: ChatModel, request: Any) -> Any:
        if request.prompt != PREFLIGHT_PROMPT:
            body = {"model": self.address.name, **request.arguments}
            noted.append({name: value for name, value in body.items() if value is not None})
        return await send(self, request)

    ChatModel.send = noting  # type: ignore[method-assign]
    return noted


def run(data: str, questions: int, out: Path) -> list[str]:
    """Answer so many questions a history with the model, and return the answers."""
    done = mabench.run(
        "bm25",
        data,
        limit_questions=questions,
        settings={"k": 2},
        model=ModelSpec("local", requests_in_flight=1, cache=False),
        limits=Limits(1, 1),
        protocol=InjectionSpec(chunk_tokens=100),
        out=out,
    )
    return [sample.prediction or "" for sample in done.samples()]


def send(address: ModelAddress, bodies: Bodies) -> list[str]:
    """Send requests one after the other over one connection, and return the replies."""
    server = urlsplit(address.base_url or "")
    connection = http.client.HTTPConnection(server.netloc)
    headers = {"Authorization": f"Bearer {address.api_key}", "Content-Type": "application/json"}
    replies = []
    for body in bodies:
        connection.request("POST", f"{server.path}/chat/completions", json.dumps(body), headers)
        reply = json.loads(connection.getresponse().read())
        replies.append(reply["choices"][0]["message"]["content"])
    connection.close()
    return replies


def main() -> None:
    """Print each round, and how much more mabench took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--questions", type=int, default=5, help="of each history")
    parser.add_argument("--rounds", type=int, default=4)
    given = parser.parse_args()
    address = ReadingModel.open(ModelSpec("local", requests_in_flight=1, cache=False)).address()
    noted = _note_requests()
    ours, bare = list[Cost](), list[Cost]()
    with tempfile.TemporaryDirectory() as folder:
        run(given.data, 1, Path(folder) / "first")  # Loads what a first run loads.
        for number in range(given.rounds):
            if number % 2:
                bare_cost, replies = _measure(partial(send, address, list(noted)))
            noted.clear()
            out = Path(folder) / f"{number}"
            our_cost, answers = _measure(partial(run, given.data, given.questions, out))
            if not number % 2:
                bare_cost, replies = _measure(partial(send, address, noted))
            equal = sum(a == b for a, b in zip(answers, replies, strict=True))
            print(f"round {number}: {len(noted)} requests, {equal} answers equal;", end=" ")
            print(f"mabench {our_cost}, bare {bare_cost}", flush=True)
            ours.append(our_cost)
            bare.append(bare_cost)
    sums = [Cost(*map(sum, zip(*costs, strict=True))) for costs in (ours, bare)]
    more = [mine.over(others) for mine, others in zip(ours, bare, strict=True)]
    print(f"all rounds, in percent more: {sums[0].over(sums[1])}")
    print(f"the median of the rounds: {Cost(*map(median, zip(*more, strict=True)))}")


if __name__ == "__main__":
    main()
