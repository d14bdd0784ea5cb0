"""What the floor costs; ``benchmarks/ablation.py`` has what each of its parts adds.

All questions of real rows (``../shared/data/mab-dev``, or DATA) with their time and memory, how
cost grows with the history for every kind of material, and 20,000 facts.

    python benchmarks/floor.py [DATA]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import mabench
from mabench.contract import Query
from mabench.data import Dataset
from mabench.results import Run
from mabench_floor import FloorAgent
from mabench_synthetic import row_specs
from mabench_synthetic.scheme import synthetic_dataset

_ENTITIES = Path("../shared/data/entity2id.json")
_TIMES = (1, 2, 4, 8)  # How many times as long histories are as the shortest.
# A source of each kind of material, and the tokens of the shortest of its rows.
_KINDS = {
    "factconsolidation_mh_6k": 16_000,
    "icl_banking77_5900shot_balance": 16_000,
    "ruler_qa1_197K": 32_000,
    "longmemeval_s*": 32_000,
    "eventqa_65536": 32_000,
    "detective_qa": 32_000,
    "recsys_redial_full": 32_000,
    "infbench_sum_eng_shots2": 32_000,
}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=Path("../shared/data/mab-dev"))
    arguments = parser.parse_args()
    real = mabench.load(arguments.data) if arguments.data.exists() else None
    if real is None:
        print(f"no real rows at {arguments.data}")
    if real:
        _print_all_questions(real)
    _print_growth()
    _print_many_facts(20_000)


def _print_all_questions(real: Dataset) -> None:
    """Print how long all questions of a data set take by two protocols, and the peak memory."""
    for protocol in ("paper", "structured"):
        start = time.perf_counter()
        with _run_floor(real, None, protocol) as run:
            seconds = time.perf_counter() - start
            asked = run.summary["spent"]["n"]
        print(f"{real.name}, {protocol}: {asked} questions in {seconds:.1f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process: {peak:.0f} MB\n")


def _print_growth() -> None:
    """Print how cost grows with the length of the history, for each kind of material."""
    print("seconds to learn and milliseconds an answer, by times the history")
    print(f"  {'source':32}{'tokens':>9}" + "".join(f"{n:>14}x" for n in _TIMES))
    for source, tokens in _KINDS.items():
        cells = [_measure(source, tokens * times) for times in _TIMES]
        print(f"  {source:32}{tokens:>9,}" + "".join(f"{cell:>15}" for cell in cells), flush=True)
    print()


def _measure(source: str, tokens: int) -> str:
    """Return how long learning a made-up history and answering about it take, as text.

    The first answer counts as learning, since the agent learns when it is asked.
    """
    specs = list(row_specs(source, 0, tokens=tokens, rows=1, questions=10))
    [row] = synthetic_dataset("growth", specs).rows()
    queries = [_make_query(question.question) for question in row.flatten()]
    agent = FloorAgent()
    start = time.perf_counter()
    agent.memorize(row.context)
    agent.answer(queries[0])
    learnt = time.perf_counter()
    others = queries[1:] or queries  # A row may have a single question.
    for query in others:
        agent.answer(query)
    seconds_an_answer = (time.perf_counter() - learnt) / len(others)
    return f"{learnt - start:.2f} s {1000 * seconds_an_answer:.1f} ms"


def _print_many_facts(number: int) -> None:
    """Print how long it takes to learn ``number`` facts, and to answer about them."""
    source, tokens = "factconsolidation_mh_262k", 20 * number
    specs = list(row_specs(source, 0, tokens=tokens, rows=1, questions=100))
    [row] = synthetic_dataset("facts", specs).rows()
    lines = row.context.splitlines()[: number + 1]  # The first line is a heading.
    warm_up = FloorAgent()
    warm_up.memorize("\n".join(lines[:100]))
    warm_up.answer(_make_query("Who?"))  # Loads numpy and scipy.
    agent = FloorAgent()
    start = time.perf_counter()
    agent.memorize("\n".join(lines))
    queries = [_make_query(question.question) for question in row.flatten()]
    agent.answer(queries[0])
    learnt = time.perf_counter()
    for query in queries[1:]:
        agent.answer(query)
    seconds_an_answer = (time.perf_counter() - learnt) / (len(queries) - 1)
    print(
        f"{len(lines) - 1:,} facts: ingested, with a first answer, in {learnt - start:.2f} s; "
        f"then {1000 * seconds_an_answer:.2f} ms an answer"
    )


def _make_query(question: str) -> Query:
    """Return the query of a question, without instructions around it."""
    return Query(question, question=question, search_query=question, max_tokens=1_200)


@contextmanager
def _run_floor(
    data: Dataset, sources: Sequence[str] | None, protocol: str = "structured"
) -> Iterator[Run]:
    """Yield a run of the floor, whose folder is deleted afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        yield mabench.run(
            "floor",
            mabench.DataSpec(
                data=data, entities=None if data.entities or not _ENTITIES.exists() else _ENTITIES
            ),
            sources=sources,
            protocol=protocol,
            out=Path(folder) / "run",
        )


if __name__ == "__main__":
    main()
