"""Run folders with given scores, as `mabench run` would have left them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mabench.data import BY_NAME
from mabench.families import family_of
from mabench.results import CallRecord, Judgment, MemoryRecord, Sample, Timing
from mabench.results.records.record import DataRecord, RunRecord
from mabench.results.records.store import RunFolder

QA, FACTS = "ruler_qa1_197K", "factconsolidation_sh_6k"
# For each source the scores of the questions of each history.
Scores = Mapping[str, Sequence[Sequence[float]]]


def share(right: int) -> list[float]:
    """Return the scores of a hundred questions of which so many are right."""
    return [1.0] * right + [0.0] * (100 - right)


_RECORD = RunRecord(
    agent="made",
    data=DataRecord(name="made-up", fingerprint="1" * 16, benchmark=True),
    questions={},
    protocol="structured",
    prompts="2" * 16,
)


def made_sample(index: int, source: str, score: float, row: int = 0, **fields: object) -> Sample:
    """Return an answer with this score; ``fields`` replace others of its."""
    scores = {family_of(source).metric: score}
    given: dict[str, object] = {
        "split": BY_NAME[source].split,
        "row": row,
        "question_index": index,
        "source": source,
        "qa_pair_id": None,
        "question": f"Question {index} about history {row}?",
        "answers": ["43"],
        "prediction": "43" if score else "44",
        "official": scores,
        "corrected": scores,
        **fields,
    }
    return Sample(**given)  # type: ignore[arg-type]


def made_run(folder: Path, scores: Scores, **fields: object) -> Path:
    """Write a run with these scores; ``fields`` replace those of its record."""
    record = replace(
        _RECORD, questions={name: sum(map(len, histories)) for name, histories in scores.items()}
    )
    record = replace(record, **fields)  # type: ignore[arg-type]
    store = RunFolder(folder)
    store.create(record)
    histories = [(name, history) for name, of in scores.items() for history in of]
    store.replace_samples(
        made_sample(index, name, score, row=row)
        for row, (name, history) in enumerate(histories)
        for index, score in enumerate(history)
    )
    return folder


def unjudged_run(folder: Path, questions: int) -> RunFolder:
    """Write a run over chats, whose answers have no score until a judge gives one."""
    store = RunFolder(made_run(folder, {"longmemeval_s*": [[0.0] * questions]}))
    samples = [replace(one, official={}, corrected={}, verdict=None) for one in store.samples()]
    store.replace_samples(samples)
    return store


def add_judgment(
    store: RunFolder, sample: Sample, value: float | None, model: str = "judge"
) -> None:
    """Add a judge's verdict on an answer, or with None that the judge gave none."""
    store.append_judgment(
        Judgment(
            *sample.key,
            source=sample.source,
            model=model,
            prompts="3" * 16,
            answer=sample.answer_hash,
            value=value,
            error="unreadable" if value is None else None,
        )
    )


def parted_run(folder: Path, source: str, histories: Sequence[str]) -> Path:
    """Write a run by letters: ``r`` right, ``l`` right but missed, ``m`` missed, ``x`` misread,
    ``f`` failed, ``u`` unclear; each history is a text of them."""
    scores = {source: [[float(one in "rl") for one in history] for history in histories]}
    store = RunFolder(made_run(folder, scores))
    samples = []
    for sample, letter in zip(store.samples(), "".join(histories), strict=True):
        known = letter not in "uf"
        changed = replace(
            sample,
            prediction=None if letter == "f" else sample.prediction,
            hit_by="evidence" if known else None,
            hit_rank=1 if letter in "rx" else None,
            shown_tokens=9,
        )
        samples.append(changed)
    store.replace_samples(samples)
    return folder


def called(
    folder: Path, cost: float | None = 0.002, metered: bool = True, **fields: object
) -> Path:
    """Write a run with a memory of 2,000 tokens, with 4 calls for it and 2 for each of 4 questions.

    The memory calls the models m and e, and the reader m.
    """
    store = RunFolder(made_run(folder, {QA: [[1, 0, 1, 1]]}, **fields))
    place = {"split": BY_NAME[QA].split, "row": 0, "source": QA}
    store.append_memory(MemoryRecord(**place, chunks=2, tokens=2000, seconds=1, metered=metered))  # type: ignore[arg-type]

    def call(number: int, **fields: object) -> None:
        store.append_call(CallRecord(**{**place, "call": str(number), "path": "x", **fields}))  # type: ignore[arg-type]

    took = {"seconds": 0.5, "status": 200, "output_tokens": 10}
    for number in range(4 if metered else 0):
        chat = {"model": "m", "input_tokens": 100, "cached_tokens": 40, "cost": cost}
        call(number, by="memory", phase="memorizing", **took, **chat)
    for index in range(4):
        at = {"phase": "answering", "question_index": index}
        if metered:
            call(10 + index, by="memory", **at, model="e", seconds=0.25, input_tokens=7, cost=0.0)
        reader = {"model": "m", "input_tokens": 50, "cost": 0.001}
        call(20 + index, by="reader", **at, **took, **reader)
    return folder


def told(folder: Path, facts: Mapping[float, int] | None = None, times: float = 1) -> Path:
    """Write a run with 90 adds of 0.1 s of one source, 10 of 1 s of the other, and searches.

    Each history has 2,000 tokens and takes 6,000 bytes.
    """
    store = RunFolder(made_run(folder, {QA: [[1, 0, 1, 1]], FACTS: [[1, 0]]}))
    places = {sample.source: (sample.split, sample.row) for sample in store.samples()}
    for source, adds in ((QA, {0.1: 90}), (FACTS, facts or {1: 10})):
        split, row = places[source]
        seconds = sum(each * number for each, number in adds.items())
        fields: Any = {"split": split, "row": row, "source": source, "tokens": 2000, "bytes": 6000}
        fields |= {"adds": adds, "add_seconds": seconds, "ready_seconds": 0.5}
        store.append_memory(MemoryRecord(**fields, seconds=seconds + 0.5))
    for sample in store.samples():
        search = times * (0.25 if sample.source == QA else 2)
        store.append_timing(Timing(*sample.key, seconds=3.0, search_seconds=search))
    return folder
