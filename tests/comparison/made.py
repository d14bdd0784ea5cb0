"""Run folders with given scores, as `mabench run` would have left them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mabench.data import BY_NAME
from mabench.families import family_of
from mabench.results import Judgment, Sample
from mabench.results.records.record import DataRecord, RunRecord
from mabench.results.records.store import RunFolder

# For each source the scores of the questions of each history.
Scores = Mapping[str, Sequence[Sequence[float]]]

_RECORD = RunRecord(
    agent="made",
    data=DataRecord(name="made-up", fingerprint="1" * 16, benchmark=True),
    questions={},
    protocol="structured",
    prompts="2" * 16,
)


def made_run(folder: Path, scores: Scores, **fields: object) -> Path:
    """Write a run with these scores; ``fields`` replace those of its record."""
    record = replace(
        _RECORD, questions={name: sum(map(len, histories)) for name, histories in scores.items()}
    )
    record = replace(record, **fields)  # type: ignore[arg-type]
    store = RunFolder(folder)
    store.create(record)
    store.replace_samples(
        Sample(
            split=BY_NAME[name].split,
            row=row,
            question_index=index,
            source=name,
            qa_pair_id=None,
            question=f"Question {index} about history {row}?",
            answers=["43"],
            prediction="43" if score else "44",
            official={family_of(name).metric: score},
            corrected={family_of(name).metric: score},
        )
        for row, (name, history) in enumerate(
            (name, history) for name, histories in scores.items() for history in histories
        )
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
