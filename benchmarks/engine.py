"""What the engine costs: throughput in flight, CPU time, the store, and memory over a long run.

A loopback server that speaks chat completions replies after 200 ms, from a process of its own.
Everything is measured in one run of this script, and set against what is ideal.

    python -m benchmarks.engine [--questions N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mabench
from benchmarks.speed_comparison.stub_server import stub_server
from mabench.data import Dataset, Metadata, Row
from mabench.models import ModelSpec
from mabench.results import RunFolder, Sample, Timing
from mabench.specs import Limits

_LATENCY = 0.2  # Seconds until the server replies.
_IN_FLIGHT = (1, 16, 64, 256)  # Requests at once.


class Bare:
    """Remembers nothing, so that what is measured is the engine."""

    def add(self, text: str) -> None:
        """Forget the text."""

    def search(self, query: str, k: int) -> list[str]:
        """Find nothing."""
        return []


def main() -> None:
    """Print the figures, a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--memory", type=int, help="internal: run so many questions, print MB")
    arguments = parser.parse_args()
    if arguments.memory:
        _examine_many(arguments.memory)
        return
    os.environ["OPENAI_API_KEY"] = "none"
    with stub_server(_LATENCY) as server:
        for in_flight in _IN_FLIGHT:
            questions = min(arguments.questions, 60 * in_flight)
            _print_throughput(server.url, in_flight, questions)
        _print_throughput(server.url, in_flight=64, questions=4 * arguments.questions)
    _print_engine_alone(5 * arguments.questions)
    _print_store()
    _print_memory()


def _make_data(questions: int) -> Dataset:
    """Return a data set of one short history with this many questions."""
    names = [f"Question {i}?" for i in range(questions)]
    row = Row(
        split="Accurate_Retrieval",
        index=0,
        context="Document 1:\nNothing.",
        questions=names,
        answers=[["42"]] * questions,
        metadata=Metadata(source="ruler_qa1_197K"),
    )
    return Dataset.from_rows("rows", lambda: [row])


def _print_throughput(url: str, in_flight: int, questions: int) -> None:
    """Ask questions with some requests in flight, and print how the time compares with the ideal.

    In the ideal, only the latency of the server takes time.
    """
    model = ModelSpec("openai/m", base_url=url, cache=False, requests_in_flight=in_flight)
    with tempfile.TemporaryDirectory() as folder:
        data = _make_data(questions)
        _ = data.fingerprint  # Computed before the time begins.
        cpu_start, start = time.process_time(), time.perf_counter()
        run = mabench.run(
            Bare, data, out=Path(folder) / "run", model=model, limits=Limits(1, in_flight)
        )
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu_start
        source = run.summary["sources"]["ruler_qa1_197K"]
    ideal = questions * _LATENCY / in_flight
    print(
        f"{in_flight:4} in flight, {questions:5} questions: {questions / wall:7.1f} a second, "
        f"{wall / ideal:.2f} times the ideal, CPU {1000 * cpu / questions:.2f} ms a question, "
        f"errors {source['errors']}"
    )


class Ready:
    """Answers at once, so that all the CPU time is the engine's."""

    async def memorize(self, chunk: str) -> None:
        """Forget the chunk."""

    async def answer(self, query: str) -> str:
        """Answer."""
        return "42"


def _print_engine_alone(questions: int) -> None:
    """Print the CPU time of everything but the client: scheduling, scoring, storing."""
    data = _make_data(questions)
    _ = data.fingerprint  # Computed before the time begins.
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        mabench.run(Ready, data, out=Path(folder) / "run", limits=Limits(1, 64))
        cpu = time.process_time() - start
    print(f"the engine alone: CPU {1000 * cpu / questions:.2f} ms a question")


def _print_store() -> None:
    """Print how fast samples are stored, beside bare lines that are written to an open file."""
    sample = Sample("Accurate_Retrieval", 0, 0, "ruler_qa1_197K", "id", "Q" * 80, ["a"], "b" * 80)
    count = 20_000
    with tempfile.TemporaryDirectory() as name:
        folder = RunFolder(Path(name))
        start = time.perf_counter()
        for _ in range(count):
            folder.append_sample(sample, Timing(*sample.key, seconds=0.1))
        stored = count / (time.perf_counter() - start)
        line = sample.to_json() + "\n"
        start = time.perf_counter()
        with (Path(name) / "bare").open("w") as stream:
            for _ in range(count):
                stream.write(line)
                stream.flush()
        bare = count / (time.perf_counter() - start)
    print(
        f"store: {stored:,.0f} samples a second ({bare / stored:.1f} times slower than bare lines)"
    )


def _print_memory() -> None:
    """Print the peak memory of a short and of a long run, each in a process of its own."""
    peaks = []
    for questions in (1_000, 20_000):
        command = [sys.executable, __file__, "--memory", str(questions)]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(float(ended.stdout))
        print(f"peak memory at {questions:6,} questions: {peaks[-1]:.1f} MB")
    print(f"growth {100 * (peaks[1] / peaks[0] - 1):.1f} %")


def _examine_many(questions: int) -> None:
    """Run over rows of 100 questions and print the peak memory in MB."""

    def make_rows() -> list[Row]:
        [row] = _make_data(100).rows()
        return [row.model_copy(update={"index": i}) for i in range(questions // 100)]

    with tempfile.TemporaryDirectory() as folder:
        data = Dataset.from_rows("rows", make_rows)
        run = mabench.run(Bare, data, out=Path(folder) / "run", limits=Limits(4))
        if run.summary["sources"]["ruler_qa1_197K"]["n"] != questions:
            raise SystemExit("the run is not whole")
    # Of this process alone: ru_maxrss begins with what the process that started it took.
    status = Path("/proc/self/status").read_text("ascii")
    print(int(status.partition("VmHWM:")[2].split()[0]) / 1024)


if __name__ == "__main__":
    main()
