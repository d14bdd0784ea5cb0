"""What the floor costs and what each of its parts adds.

Without options: all questions of real rows (``../shared/data/mab-dev``, or DATA) with their time
and memory, how cost grows with the history for every kind of material, and 20,000 facts. With
``--ablate``: the scores with one part of one skill switched off at a time.

    python benchmarks/floor.py [DATA] [--ablate]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean
from typing import NamedTuple
from unittest.mock import patch

import mabench
from mabench.agents.floor import FloorAgent
from mabench.agents.floor.qa.weights import WEIGHTS
from mabench.contract import Query
from mabench.data import Dataset
from mabench.loading import synthetic_dataset
from mabench.runs import Run, Sample
from mabench.synthesis import row_specs, row_specs_named

_ENTITIES = Path("../shared/data/entity2id.json")
_TIMES = (1, 2, 4, 8)
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
_FLOOR = "mabench.agents.floor."


class Part(NamedTuple):
    """A part of a skill: what it is, and what switches it off (attribute to value)."""

    name: str
    off: Mapping[str, object]


def _without(*signs: str) -> Mapping[str, object]:
    """Return what switches off signs by which spans are weighed, whatever the kind of answer."""
    left = {
        k: v for k, v in WEIGHTS.items() if not f"{k} ".startswith(tuple(f"{s} " for s in signs))
    }
    return {"qa.evidence.WEIGHTS": left}


_PARTS: Mapping[str, Sequence[Part]] = {
    "factconsolidation": (
        Part("frames that say the same", {"facts.relations._MOST_FRAMES": 0}),
        Part("the kind of name asked for", {"facts.chains._ASKED": 0.0}),
        Part("kinds named in the question", {"facts.evidence._KIND": 0.0}),
        Part("who and where as kinds", {"facts.evidence.asked_of": lambda *_: None}),
        Part("hops back", {"facts.chains._BACK": 1e6}),
        Part("the order of the question's words", {"facts.chains._INVERTED": 0.0}),
        Part("words of a relation left unsaid", {"facts.chains._UNSAID": 0.0}),
        Part("older facts as a last resort", {"facts.chains._VERSIONS": 1}),
        Part("the newest fact first", {"facts.chains._OLDER": 0.0}),
        Part("several chains at a time", {"facts.chains._WIDTH": 1}),
    ),
    "icl": (
        Part("all but words", {"labels.classifier._CHOICES": ((1.0, 0.0, 0.0, 0.0),)}),
        Part("letters", {
            "labels.classifier._CHOICES": ((1.0, 0.0, 0.3, 0.1), (1.0, 0.0, 0.7, 0.7))}),
        Part("what the text asks for", {
            "labels.classifier._CHOICES": ((1.0, 1.0, 0.0, 0.1), (1.0, 0.5, 0.0, 0.7))}),
        Part("how the text is built", {
            "labels.classifier._CHOICES": ((1.0, 1.0, 0.3, 0.0), (1.0, 0.5, 0.7, 0.0))}),
        Part("choice by cross-validation: all alike", {
            "labels.classifier._CHOICES": ((1.0, 1.0, 1.0, 1.0),)}),
        Part("recall of texts shown", {
            "labels.classifier._values_by_words": lambda shown: {}}),
    ),
    "ruler": (
        Part("words said earlier in the paragraph", {
            "qa.search._NAME_BEFORE": 0.0, "qa.search._WORD_BEFORE": 0.0}),
        Part("words said later in the paragraph", {
            "qa.search._NAME_LATER": 0.0, "qa.search._WORD_LATER": 0.0}),
        Part("the length of sentences", {"qa.search._LENGTH": 0.0}),
        Part("the second hop", {"qa.search._STARTS": 0}),
        Part("words spelt alike", {"qa.search._ALIKE": 101}),
        Part("words that mean the same", {
            "qa.search._MEANING": 0.0, "qa.evidence.same_meaning": lambda _: frozenset()}),
        Part("less for the noun after \"which\"", {"qa.search._NOUN": 1.0}),
        Part("descriptions answered too", {"qa.skill.MOST": 0}),
        Part("inference", {"qa.skill.inferred_answer": lambda *_: None}),
        Part("comparing two", {"qa.inference.which_of_two": lambda *_: None,
            "qa.inference.whether_two_agree": lambda *_: None}),
        Part("paragraphs about a name before others", {"qa.search._MENTION": 1.0}),
        Part("the kind of thing asked for", {"qa.questions._KINDS": ()}),
        Part("nearness to the question's words", _without("near")),
        Part("the verb or noun in focus", _without("focus", "unfocused", "by")),
        Part("the side on which words stand", _without("order")),
        Part("the preposition asked with", _without("governed")),
        Part("what names are, by their company", _without(
            "beside", "modifier", "placed")),
        Part("how names end, and are written", _without("body", "demonym", "quoted", "acting")),
        Part("what the paragraph about a name says", _without("known", "born", "told to be")),
        Part("what a question describes", _without("hop nested", "hop to subject", "named")),
        Part("the score of the sentence", _without("trust")),
    ),
    "longmemeval": (
        Part("inference", {"qa.skill.inferred_answer": lambda *_: None}),
        Part("what was said last", {"qa.skill._AS_GOOD": 2.0}),
    ),
    "eventqa": (
        Part("the place reached so far", {"events._STEP": 1e6}),
        Part("events told over several sentences", {"events._WINDOW": 1}),
    ),
    "detective": (
        Part("words of the question", {"options._CONTEXT": 0.0}),
        Part("late evidence", {"options._LATE": 0.0}),
    ),
    "recsys": (
        Part("what is liked together", {"recommendation.ranking._PRIOR": 1e12}),
        Part("what keeps the same company", {"recommendation.ranking._FACTORS": 0}),
        Part("words", {"recommendation.ranking._WORD": 0.0}),
        Part("wording", {"recommendation.ranking._WORDING": 0.0}),
        Part("titles alike", {"recommendation.ranking._SERIES": 0.0}),
    ),
}  # fmt: skip
# The sources in whose scores a skill is measured, and the tokens of their synthetic rows.
_MEASURED: Mapping[str, tuple[Sequence[str], int]] = {
    "factconsolidation": (
        ("factconsolidation_sh_32k", "factconsolidation_mh_6k", "factconsolidation_mh_32k"),
        16_000,
    ),
    "icl": (("icl_banking77_5900shot_balance", "icl_trec_coarse_6600shot_balance"), 48_000),
    "ruler": (("ruler_qa1_197K", "ruler_qa2_421K"), 64_000),
    "longmemeval": (("longmemeval_s*",), 64_000),
    "eventqa": (("eventqa_65536",), 64_000),
    "detective": (("detective_qa",), 64_000),
    "recsys": (("recsys_redial_full",), 64_000),
}
_SEEDS = (0, 1, 2)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=Path("../shared/data/mab-dev"))
    parser.add_argument("--ablate", action="store_true")
    arguments = parser.parse_args()
    real = mabench.load(arguments.data) if arguments.data.exists() else None
    if real is None:
        print(f"no real rows at {arguments.data}: synthetic ones take their place")
    if arguments.ablate:
        _ablate(real)
        return
    if real:
        _all_questions(real)
    _growth()
    _many_facts(20_000)


def _all_questions(real: Dataset) -> None:
    for protocol in ("paper", "structured"):
        start = time.perf_counter()
        with _ran(real, None, protocol) as run:
            seconds = time.perf_counter() - start
            asked = run.summary["spent"]["n"]
        print(f"{real.name}, {protocol}: {asked} questions in {seconds:.1f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process: {peak:.0f} MB\n")


def _growth() -> None:
    print("seconds to learn and milliseconds an answer, by times the history")
    print(f"  {'source':32}{'tokens':>9}" + "".join(f"{n:>14}x" for n in _TIMES))
    for source, tokens in _KINDS.items():
        cells = [_cost(source, tokens * times) for times in _TIMES]
        print(f"  {source:32}{tokens:>9,}" + "".join(f"{cell:>15}" for cell in cells), flush=True)
    print()


def _cost(source: str, tokens: int) -> str:
    orders = list(row_specs(source, 0, tokens=tokens, rows=1, questions=10))
    [row] = synthetic_dataset("growth", orders).rows()
    queries = [_query(question.question) for question in row.flatten()]
    agent = FloorAgent()
    start = time.perf_counter()
    agent.memorize(row.context)
    agent.answer(queries[0])
    learnt = time.perf_counter()
    again = queries[1:] or queries
    for query in again:
        agent.answer(query)
    answered = (time.perf_counter() - learnt) / len(again)
    return f"{learnt - start:.2f} s {1000 * answered:.1f} ms"


def _many_facts(number: int) -> None:
    """Tell facts until there are ``number``: names vary, relations recur."""
    source, tokens = "factconsolidation_mh_262k", 20 * number
    orders = list(row_specs(source, 0, tokens=tokens, rows=1, questions=100))
    [row] = synthetic_dataset("facts", orders).rows()
    lines = row.context.splitlines()[: number + 1]
    warm = FloorAgent()
    warm.memorize("\n".join(lines[:100]))
    warm.answer(_query("Who?"))  # Loads numpy and scipy.
    agent = FloorAgent()
    start = time.perf_counter()
    agent.memorize("\n".join(lines))
    queries = [_query(question.question) for question in row.flatten()]
    agent.answer(queries[0])
    ingested = time.perf_counter()
    for query in queries[1:]:
        agent.answer(query)
    each = (time.perf_counter() - ingested) / (len(queries) - 1)
    print(
        f"{len(lines) - 1:,} facts: ingested, with a first answer, in {ingested - start:.2f} s; "
        f"then {1000 * each:.2f} ms an answer"
    )


def _query(question: str) -> Query:
    return Query(question, question=question, search_query=question, max_tokens=1_200)


def _ablate(real: Dataset | None) -> None:
    """Print for each part what is lost without it, on real rows and on synthetic ones."""
    for skill, parts in _PARTS.items():
        rows = list(_rows_for(skill, real))
        whole = [_score(*where) for where in rows]
        names = "".join(f"{data.name:>20}" for data, _ in rows)
        print(f"{skill:48}{names}\n  {'everything':46}" + "".join(f"{w:20.1f}" for w in whole))
        for part in parts:
            with _switched_off(part):
                scores = [_score(*where) for where in rows]
            cells = (f"{s:12.1f} ({s - w:+5.1f})" for s, w in zip(scores, whole, strict=True))
            print(f"  without {part.name:38}" + "".join(f"{c:>20}" for c in cells), flush=True)


def _rows_for(skill: str, real: Dataset | None) -> Iterator[tuple[Dataset, Sequence[str]]]:
    sources, tokens = _MEASURED[skill]
    known = {row.source for row in real.rows(sources)} if real else set()
    if real and known:
        yield real, sorted(known)
    orders = [order for seed in _SEEDS for order in row_specs_named(sources, seed, tokens=tokens)]
    yield synthetic_dataset("synthetic", orders), sources


@contextmanager
def _switched_off(part: Part) -> Iterator[None]:
    with ExitStack() as stack:
        for attribute, value in part.off.items():
            stack.enter_context(patch(_FLOOR + attribute, value))
        yield


def _score(data: Dataset, sources: Sequence[str]) -> float:
    """Return the mean official score; where it takes a judge, how many answers hold a gold."""
    with _ran(data, sources) as run:
        samples = list(run.samples())
        official = {name: source["official"] for name, source in run.summary["sources"].items()}
    return fmean(
        _held([sample for sample in samples if sample.source == name]) if score is None else score
        for name, score in official.items()
    )


def _held(samples: Sequence[Sample]) -> float:
    held = (
        any(gold.lower() in (sample.prediction or "").lower() for gold in sample.answers)
        for sample in samples
    )
    return 100 * fmean(held)


@contextmanager
def _ran(
    data: Dataset, sources: Sequence[str] | None, protocol: str = "structured"
) -> Iterator[Run]:
    with tempfile.TemporaryDirectory() as folder:
        yield mabench.run(
            "floor",
            data,
            sources=sources,
            protocol=protocol,
            out=Path(folder) / "run",
            entities=None if data.entities or not _ENTITIES.exists() else _ENTITIES,
        )


if __name__ == "__main__":
    main()
