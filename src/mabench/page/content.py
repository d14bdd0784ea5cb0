"""What a page holds of each question: gathered from a run's folder, in this module alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mabench.families import Family, family_of
from mabench.runs import JsonRecord, RetrievedPassage, Run, Sample
from mabench.runs.records.measurements import MemoryRecord
from mabench.runs.records.sample import Key
from mabench.runs.records.store import RunFolder
from mabench.runs.results.judges import judged_scores, verdicts_by_judge

VERDICTS = ("right", "partial", "wrong", "unclear", "error")
# So many of a passage's marks are enough to show it by.
_MARKS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPassage(JsonRecord):
    """A passage that was retrieved for a question.

    Attributes:
        rank: its rank, from 1.
        text: the passage; null where only the number of its chunk is known.
        chunk: the chunk that it repeats, from 0; null for a text of its own.
        score: the memory's score of it.
        marks: where golds stand in the text: start and end, in characters.
        gold: whether a gold stands in it; null where that is not known.
    """

    rank: int
    text: str | None
    chunk: int | None
    score: float | None
    marks: tuple[tuple[int, int], ...]
    gold: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(JsonRecord):
    """What one run made of a question.

    Attributes:
        verdict: one of ``VERDICTS``; ``unclear`` where there is no score (yet).
        official, corrected: from 0 to 1; null without a score.
        rule: what decided where official and corrected differ.
        prediction: the answer; null when there is none.
        error: why there is none.
        hit: the rank of the first passage with a gold, 0 for none; null where it is not sought.
        passages: what was retrieved, the best first.
        judgments: what judges said, a line each.
        seconds: from the question to the answer.
        input_tokens, output_tokens, cost: what the answer took.
    """

    verdict: str
    official: float | None
    corrected: float | None
    rule: str | None
    prediction: str | None
    error: str | None
    hit: int | None
    passages: tuple[ShownPassage, ...]
    judgments: tuple[str, ...]
    seconds: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(JsonRecord):
    """A question of a run, with what the run made of it.

    Attributes:
        source: the source of its row.
        split, row, index: its place.
        question: its text.
        answers: the golds.
        gold_chunks: the chunks of the history in which a gold stands, from 0; null if unknown.
        chunks: into how many chunks the history is cut; null if unknown.
        history_tokens: the length of the history, about; null if unknown.
        result: what the run made of it.
    """

    source: str
    split: str
    row: int
    index: int
    question: str
    answers: tuple[str, ...]
    gold_chunks: tuple[int, ...] | None
    chunks: int | None
    history_tokens: int | None
    result: Result

    @property
    def key(self) -> Key:
        """What names the question within its data set."""
        return (self.split, self.row, self.index)


def asked(run: Run) -> list[Asked]:
    """Return the questions that a run was asked, in the order in which they are stored.

    Raises:
        DataError: when the run cannot be read.
    """
    return list(_Folder(run).asked())


class _Folder:
    """What a run's folder knows of its questions beside the samples."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._sources = run.record.all_sources
        folder = RunFolder(run.folder)
        self._seconds = {timing.key: float(timing.seconds) for timing in folder.timings()}
        self._memories = folder.memories()
        self._said, self._judged = _judgments(run)

    def asked(self) -> Iterator[Asked]:
        for sample in self._run.samples():
            memory = self._memories.get((sample.split, sample.row))
            yield Asked(
                source=sample.source,
                split=sample.split,
                row=sample.row,
                index=sample.question_index,
                question=sample.question,
                answers=tuple(sample.answers),
                gold_chunks=_gold_chunks(sample),
                chunks=memory.chunks if memory else None,
                history_tokens=_tokens(memory),
                result=self._result(sample, family_of(sample.source, self._sources)),
            )

    def _result(self, sample: Sample, family: Family) -> Result:
        official = self._score(sample, sample.official, family)
        corrected = self._score(sample, sample.corrected, family)
        sought = sample.prediction is not None and family.gold_in_text(sample.answers)
        known = sought and sample.shown_tokens is not None
        return Result(
            verdict=_verdict(sample, corrected),
            official=official,
            corrected=corrected,
            rule=sample.difference,
            prediction=sample.prediction,
            error=sample.error,
            hit=(sample.hit_rank or 0) if known else None,
            passages=tuple(
                _passage(rank, passage, sample, known)
                for rank, passage in enumerate(sample.retrieved, start=1)
            ),
            judgments=tuple(self._said.get(sample.key, ())),
            seconds=self._seconds.get(sample.key),
            input_tokens=sample.input_tokens,
            output_tokens=sample.output_tokens,
            cost=None if sample.cost is None else float(sample.cost),
        )

    def _score(
        self, sample: Sample, scores: Mapping[str, bool | int | float], family: Family
    ) -> float | None:
        if family.rubric:
            return self._judged.get(sample.key) if sample.prediction is not None else 0.0
        value = scores.get(family.metric)
        if value is None:
            return None if family.needs_entities else 0.0
        return float(value)


def _judgments(run: Run) -> tuple[dict[Key, list[str]], dict[Key, float]]:
    """Return what judges said of each question, and the scores by the judge that counts."""
    samples = list(run.scores())
    said: dict[Key, list[str]] = {}
    judged: dict[Key, float] = {}
    for source, judges in verdicts_by_judge(run.judgments(), samples).items():
        for judge, verdicts in judges.items():
            for key, judgment in verdicts.items():
                words = judgment.error or ", ".join(
                    f"{name} {number}" for name, number in (judgment.verdict or {}).items()
                )
                said.setdefault(key, []).append(f"{judge.model}: {words}")
        found = judged_scores(judges, (one for one in samples if one.source == source))
        judged |= found[1] if found else {}
    return said, judged


def _verdict(sample: Sample, score: float | None) -> str:
    if sample.prediction is None:
        return "error"
    if score is None:
        return "unclear"
    return "right" if score >= 1 else "partial" if score > 0 else "wrong"


def _gold_chunks(sample: Sample) -> tuple[int, ...] | None:
    known: Sequence[int] | None = getattr(sample, "gold_chunks", None)
    return None if known is None else tuple(known)


def _tokens(memory: MemoryRecord | None) -> int | None:
    return memory.tokens if memory else None


def _passage(rank: int, passage: RetrievedPassage, sample: Sample, known: bool) -> ShownPassage:
    marks = _marks(passage.text, sample.answers) if known and passage.text else ()
    before = sample.hit_rank is None or rank < sample.hit_rank
    gold = rank == sample.hit_rank or (None if not before and not marks else bool(marks))
    return ShownPassage(
        rank=rank,
        text=passage.text,
        chunk=passage.chunk,
        score=passage.score,
        marks=marks,
        gold=gold if known else None,
    )


def _marks(text: str, answers: Sequence[str]) -> tuple[tuple[int, int], ...]:
    golds = sorted(filter(str.strip, answers), key=len, reverse=True)
    if not golds:
        return ()
    words = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, golds))})(?!\w)", re.IGNORECASE)
    found = words.finditer(text)
    return tuple((one.start(), one.end()) for one, _ in zip(found, range(_MARKS), strict=False))
