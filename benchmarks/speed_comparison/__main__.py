"""Print how fast mabench is beside what people would use instead, as a table in Markdown.

    make compare-speed                        (its own environment; a quarter of an hour)
    python -m benchmarks.speed_comparison [--repeats N] [--only WORD] [--growth]

Each figure is a ratio of commands that ran in turn, with the least and the most of all pairs: 0.5
means half as much. What a tool that is not installed would show is left out and named.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from .jobs import JOBS
from .measuring import Cost, alternate, measure, note, ratios, summarize
from .stub_server import LATENCY, StubServer, stub_server

_IN_FLIGHT: Final = 64
_IDLE_MEMORY: Final = "benchmarks.speed_comparison.agents:IdleMemory"
_REPOSITORY: Final = Path(__file__).resolve().parents[2]
_ENVIRONMENT: Final = {
    "OPENAI_API_KEY": "none",
    "PYTHONPATH": str(_REPOSITORY),
    "TQDM_DISABLE": "1",
    "HF_HUB_OFFLINE": "1",
}


class Line(NamedTuple):
    """A line of the table: what was done, by what it is measured, and what came out."""

    work: str
    measure: str
    ours: str
    others: str


class Comparison(NamedTuple):
    """A comparison that can be asked for by a word of its name."""

    name: str
    run: Callable[[Bench], Iterator[Line]]


class Bench(NamedTuple):
    """What every comparison needs."""

    folder: Path
    server: StubServer
    repeats: int

    def compare(self, commands: Mapping[str, list[str]]) -> dict[str, list[Cost]]:
        """Run commands in turn, those whose packages are here."""
        return alternate(commands, self.repeats, _ENVIRONMENT)


def main() -> None:
    """Run the comparisons that were asked for and print their table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=3, help="pairs of each comparison")
    parser.add_argument("--only", default="", help="only comparisons whose name has this word")
    parser.add_argument("--growth", action="store_true", help="also 64,000 questions: some minutes")
    options = parser.parse_args()
    chosen = [one for one in _comparisons(options.growth) if options.only in one.name]
    print(f"{_machine()}, load {os.getloadavg()[0]:.2f} before; {options.repeats} pairs each\n")
    print("| work | measured | mabench | mabench as a multiple of others |")
    print("|---|---|---|---|", flush=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bench = Bench(folder, stack.enter_context(stub_server()), options.repeats)
        for comparison in chosen:
            note(comparison.name)
            for line in comparison.run(bench):
                print("| " + " | ".join(line) + " |", flush=True)
    missing = [name for name in ("inspect_ai", "lm_eval", "datasets") if not _is_here(name)]
    if missing:
        print(f"\nNot installed, so not compared: {', '.join(missing)}.")


def _comparisons(growth: bool) -> list[Comparison]:
    """Return all comparisons; with ``growth``, also the one that takes some minutes."""
    comparisons = [
        Comparison("in flight", _count_in_flight),
        Comparison("first score", _compare_first_scores),
        Comparison("questions", _compare_questions),
        Comparison("data", _compare_loading),
        Comparison("runs", _compare_lists_of_runs),
        Comparison("bm25", _compare_indexes),
        Comparison("processes", _compare_processes),
        Comparison("scoring", _compare_scoring),
        Comparison("make run", _measure_make_run),
    ]
    return [*comparisons, Comparison("growth", _measure_growth)] if growth else comparisons


def _machine() -> str:
    """Return what the figures depend on, for the heading."""
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"


def _is_here(package: str) -> bool:
    """Return whether a package is installed."""
    return importlib.util.find_spec(package) is not None


def _job(function: str, *arguments: object) -> list[str]:
    """Return the command that runs a function of ``jobs.py`` in a process of its own."""
    if function not in JOBS:
        raise KeyError(function)
    module = "benchmarks.speed_comparison.jobs"
    return [sys.executable, "-m", module, function, *map(str, arguments)]


def _mabench(*words: object) -> list[str]:
    """Return a command of mabench."""
    return [sys.executable, "-m", "mabench", *map(str, words)]


def _run_command(bench: Bench, agent: str, data: Path, *words: object) -> list[str]:
    """Return the command that runs an agent anew over some data; ``words`` are more options."""
    out = bench.folder / "run"
    return _mabench("run", agent, "--data", data, "--out", out, "--fresh", "--quiet", *words)


def _ask_command(bench: Bench, data: Path, *words: object) -> list[str]:
    """Return the command that asks the stand-in for a model, with a memory that does nothing."""
    model = ("--model", "openai/m", "--base-url", bench.server.url, "--no-cache")
    return _run_command(bench, _IDLE_MEMORY, data, *model, *words)


def _write_questions(bench: Bench, questions: int, words: int = 2) -> Path:
    """Write one history with so many short questions, in the benchmark's layout."""
    path = bench.folder / f"questions-{questions}-{words}.jsonl"
    row = {
        "split": "Accurate_Retrieval",
        "context": "Document 1:\n" + "Nothing. " * words,
        "questions": [f"Question {number}?" for number in range(questions)],
        "answers": [["42"]] * questions,
        "metadata": {"source": "ruler_qa1_197K"},
    }
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return path


def _count_in_flight(bench: Bench) -> Iterator[Line]:
    """Yield how many requests mabench has in flight by default."""
    data = _write_questions(bench, 200)
    bench.server.most_in_flight()
    measure(_ask_command(bench, data), _ENVIRONMENT)
    most = bench.server.most_in_flight()
    yield Line("200 questions to a model, no options", "requests in flight", str(most), "")


def _compare_first_scores(bench: Bench) -> Iterator[Line]:
    """Compare what one question costs: mostly what is imported."""
    data = _write_questions(bench, 1)
    commands = {"mabench": _run_command(bench, "no-memory", data)}
    if _is_here("inspect_ai"):
        commands["inspect_ai"] = _job("score_first_with_inspect")
    costs = bench.compare(commands)
    yield _line("`no-memory`, one question", "CPU, s", costs, _cpu)
    yield _line("`no-memory`, one question", "peak, MB", costs, _megabytes)


def _compare_questions(bench: Bench) -> Iterator[Line]:
    """Compare what many questions to a model cost, and their time with the ideal."""
    for questions in (1000, 4000):
        data = _write_questions(bench, questions)
        arguments = (bench.server.url, questions, _IN_FLIGHT)
        commands = {
            "mabench": _ask_command(bench, data, "--requests-in-flight", _IN_FLIGHT),
            "a bare client": _job("ask_with_bare_client", *arguments),
        }
        if _is_here("inspect_ai"):
            commands["inspect_ai"] = _job("ask_with_inspect", *arguments)
        if _is_here("lm_eval"):
            commands["lm-eval"] = _job("ask_with_lm_eval", *arguments)
        costs = bench.compare(commands)
        work = f"{questions:,} questions to a model, {_IN_FLIGHT} in flight"
        yield _line(work, "CPU, s", costs, _cpu)
        yield _line(work, "wall, s", costs, _wall)
        yield _line(work, "peak, MB", costs, _megabytes)
        ideal = questions * LATENCY / _IN_FLIGHT
        times = summarize([cost.wall / ideal for cost in costs["mabench"]])
        yield Line(work, "wall as a multiple of the ideal", str(times), "")


def _compare_loading(bench: Bench) -> Iterator[Line]:
    """Compare what reading a data set costs."""
    folder = bench.folder / "rows"
    measure(_job("write_hub_layout", folder), _ENVIRONMENT)
    for way, words in (("by-split", "split by split"), ("at-once", "in one pass")):
        commands = {"mabench": _job("load_with_mabench", folder, way)}
        if _is_here("datasets"):
            commands["datasets"] = _job("load_with_datasets", folder, way)
        costs = bench.compare(commands)
        work = f"20,250 questions of 405 histories, {words}"
        yield _line(work, "wall, s", costs, _wall)
        yield _line(work, "peak, MB", costs, _megabytes)


def _compare_lists_of_runs(bench: Bench) -> Iterator[Line]:
    """Measure what listing few large and many small runs takes, beside printing the help."""
    few, many = bench.folder / "ten-runs", bench.folder / "three-hundred-runs"
    for folder, count, questions in ((few, 10, 16_000), (many, 300, 10)):
        data = _write_questions(bench, questions)
        first = folder / "run-0"
        command = _mabench("run", "no-memory", "--data", data, "--out", first, "--quiet")
        measure(command, _ENVIRONMENT)
        for number in range(1, count):
            shutil.copytree(first, folder / f"run-{number}")
        costs = bench.compare(
            {"mabench": _mabench("runs", folder), "`mabench --help`": _mabench("--help")}
        )
        work = f"`mabench runs`, {count} folders of {questions:,} questions"
        yield _line(work, "wall, s", costs, _wall)


def _compare_indexes(bench: Bench) -> Iterator[Line]:
    """Compare what indexing and searching texts costs."""
    texts = 20_000
    commands = {
        "mabench": _job("index_with_mabench", texts),
        "bm25s": _job("index_with_bm25s", texts),
    }
    if _is_here("tantivy"):
        commands["tantivy"] = _job("index_with_tantivy", texts)
    costs = bench.compare(commands)
    yield _line(f"`bm25`: {texts:,} texts, one search", "CPU, s", costs, _cpu)
    costs = bench.compare({"mabench": _job("search_after_adds", 2000, 10)})
    yield _line("`bm25`: 2,000 texts, a search after each of 10 adds", "wall, s", costs, _wall)


def _compare_processes(bench: Bench) -> Iterator[Line]:
    """Measure how many times as fast two processes are as one."""
    commands = {
        "mabench": _job("run_busy_rows", 8, 5, 2),
        "one process": _job("run_busy_rows", 8, 5, 1),
    }
    costs = bench.compare(commands)
    seconds_of_one = [cost.wall for cost in costs["one process"]]
    faster = ratios(seconds_of_one, [cost.wall for cost in costs["mabench"]])
    yield Line("8 histories of 5 s of CPU, two processes", "times as fast", str(faster), "")


def _compare_scoring(bench: Bench) -> Iterator[Line]:
    """Compare what scoring answers costs."""
    lines = 4000
    commands = {
        "mabench": _job("score_with_mabench", lines),
        "libraries": _job("score_with_libraries", lines),
    }
    costs = bench.compare(commands)
    yield _line(f"official scores of {lines:,} answers", "CPU, s", costs, _cpu)


def _measure_make_run(bench: Bench) -> Iterator[Line]:
    """Measure the run that newcomers begin with."""
    out = bench.folder / "first-run"
    costs = bench.compare({"mabench": _mabench("run", "--out", out, "--fresh", "--quiet")})
    yield _line("the command of `make run`", "CPU, s", costs, _cpu)
    yield _line("the command of `make run`", "wall, s", costs, _wall)


def _measure_growth(bench: Bench) -> Iterator[Line]:
    """Measure how cost grows with the number of questions and the length of a history."""
    for questions in (1000, 4000, 16_000, 64_000):
        data = _write_questions(bench, questions)
        cost = measure(_ask_command(bench, data, "--requests-in-flight", _IN_FLIGHT), _ENVIRONMENT)
        took = f"{cost.wall:.1f} s, CPU {cost.cpu:.1f} s, peak {cost.megabytes:.0f} MB"
        yield Line(f"{questions:,} questions to a model", "wall, CPU, peak", took, "")
    for words in (20_000, 80_000, 320_000):
        data = _write_questions(bench, 100, words)
        cost = measure(_run_command(bench, "bm25", data), _ENVIRONMENT)
        took = f"{cost.wall:.1f} s, CPU {cost.cpu:.1f} s, peak {cost.megabytes:.0f} MB"
        yield Line(f"`bm25`, a history of {words:,} words", "wall, CPU, peak", took, "")


def _line(
    work: str, measured: str, costs: Mapping[str, list[Cost]], take: Callable[[Cost], float]
) -> Line:
    """Return a line that compares the first command with each of the others.

    Args:
        work: what the commands do.
        measured: what ``take`` takes, with its unit.
        costs: what each command cost each time, by its name.
        take: returns the figure to compare.
    """
    figures = {name: [take(cost) for cost in costs_of_one] for name, costs_of_one in costs.items()}
    first, *others = figures
    compared = [f"{name}: {ratios(figures[first], figures[name])}" for name in others]
    return Line(work, measured, str(summarize(figures[first])), "; ".join(compared))


def _cpu(cost: Cost) -> float:
    """Return the CPU seconds of a command."""
    return cost.cpu


def _wall(cost: Cost) -> float:
    """Return the seconds of a command."""
    return cost.wall


def _megabytes(cost: Cost) -> float:
    """Return the peak memory of a command."""
    return cost.megabytes


if __name__ == "__main__":
    main()
