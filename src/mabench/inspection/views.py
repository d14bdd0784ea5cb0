"""One question with all that is known of how its answer came to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mabench.errors import DataError
from mabench.families import family_of
from mabench.inspection.histories import Histories
from mabench.inspection.marks import Span, excerpt, spans
from mabench.results import CallTotals, JsonRecord, Judgment, Run, Sample, ScoredQuestion
from mabench.results.calls import QuestionCalls
from mabench.results.records.sample import Key

_AROUND = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageView(JsonRecord):
    """A retrieved passage.

    Attributes:
        rank: from 1.
        text: the passage; null where it is a chunk and the history cannot be read.
        chunk: the index of the chunk that it repeats; null for a text of the memory's own.
        score: the memory's score of it; null where it gave none.
        marks: where an answer stands in it: start and end.
    """

    rank: int
    text: str | None
    chunk: int | None
    score: float | None
    marks: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldPlace(JsonRecord):
    """A chunk of the history in which an answer stands.

    Attributes:
        chunk: its index, from 0.
        depth: how deep in the history it begins, from 0 (the start) to 100; null where that is
            not known.
        text: what stands around the answer; null where the history cannot be read.
        marks: where the answer stands in ``text``.
    """

    chunk: int
    depth: float | None
    text: str | None
    marks: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView(JsonRecord):
    """One question of a run.

    Attributes:
        sample: what the run keeps of it.
        metric: the metric that the paper reports for its source.
        official, corrected: its scores, from 0 to 1; null while there is none.
        verdict: ``right``, ``wrong``, ``partial``, ``unclear`` or ``not judged``; null without a
            corrected score.
        rule: the rule that decided the corrected score, ``judge`` or ``no-answer``.
        chunks: how many chunks the history has; null where that is not known.
        golds: the chunks in which an answer stands; null where answers are not to be looked for
            in the history.
        passages: what was retrieved, the best first.
        prompt: what a language model was shown; null where none was, or nobody kept it.
        judgments: the verdicts of judges, in the order in which they were given.
        seconds: how long the answer took; null where that is not known.
        without: why the history cannot be read; null where it can, or nothing of it is needed.
        calls: the calls of models while it was asked, by model; null where the run knows of none.
        shared_calls: how many calls of the row while it was answering belong to no question,
            since several were asked at a time.
    """

    sample: Sample
    metric: str
    official: float | None
    corrected: float | None
    verdict: str | None
    rule: str | None
    chunks: int | None
    golds: tuple[GoldPlace, ...] | None
    passages: tuple[PassageView, ...]
    prompt: str | None
    judgments: tuple[Judgment, ...]
    seconds: float | None
    without: str | None
    calls: Mapping[str, CallTotals] | None
    shared_calls: int


def question_views(
    run: Run,
    questions: Iterable[ScoredQuestion[Sample]],
    data: object = None,
    *,
    prompts: bool = True,
) -> Iterator[QuestionView]:
    """Yield questions of a run with all that is known of them.

    Args:
        run: the run.
        questions: the questions; those of a row should stand together.
        data: the run's data set, if it has moved.
        prompts: whether the prompts are read.

    Raises:
        DataError: when a file of the run cannot be read. A data set that is gone is no error: the
            views say that.
    """
    listed = list(questions)
    if not listed:
        return
    folder = run.store
    names = {one.sample.prompt for one in listed if one.sample.prompt and prompts}
    texts = folder.prompts(names) if names else {}
    judgments: dict[Key, list[Judgment]] = {}
    for judgment in folder.judgments():
        judgments.setdefault(judgment.key, []).append(judgment)
    seconds = {(one.split, one.row, one.question_index): one.seconds for one in folder.timings()}
    histories, without = _histories(run, data)
    calls = QuestionCalls(folder.calls())
    told = {place: memory.chunks for place, memory in folder.memories().items()}
    for scored in listed:
        sample = scored.sample
        chunks = histories.chunks((sample.split, sample.row)) if histories else None
        yield QuestionView(
            sample=sample,
            metric=family_of(sample.source, run.record.all_sources).metric,
            official=scored.official,
            corrected=scored.corrected,
            verdict=scored.verdict,
            rule=scored.rule,
            chunks=len(chunks) if chunks else told.get((sample.split, sample.row)),
            golds=_golds(sample, chunks, told.get((sample.split, sample.row))),
            passages=tuple(_passages(sample, chunks)),
            prompt=texts.get(sample.prompt or ""),
            judgments=tuple(judgments.get(sample.key, ())),
            seconds=seconds.get(sample.key),
            without=without,
            calls=calls.of(sample.key),
            shared_calls=calls.count_shared((sample.split, sample.row)),
        )


def _histories(run: Run, data: object) -> tuple[Histories | None, str | None]:
    try:
        return Histories(run, data), None
    except DataError as error:
        return None, str(error)


def _golds(
    sample: Sample, chunks: Iterable[str] | None, number: int | None
) -> tuple[GoldPlace, ...] | None:
    if sample.gold_chunks is None:
        return None
    texts = list(chunks or ())
    lengths = [len(text) for text in texts]
    places = []
    for index in sample.gold_chunks:
        text, depth = None, None
        marks: tuple[Span, ...] = ()
        if index < len(texts):
            shown, found = excerpt(texts[index], spans(texts[index], sample.answers), _AROUND)
            text, marks = shown, tuple(found)
            depth = 100 * sum(lengths[:index]) / sum(lengths)
        elif number:
            depth = 100 * index / number
        places.append(GoldPlace(chunk=index, depth=depth, text=text, marks=marks))
    return tuple(places)


def _passages(sample: Sample, chunks: Iterable[str] | None) -> Iterator[PassageView]:
    texts = list(chunks or ())
    for rank, passage in enumerate(sample.retrieved, start=1):
        text = passage.text
        if text is None and passage.chunk is not None and passage.chunk < len(texts):
            text = texts[passage.chunk]
        yield PassageView(
            rank=rank,
            text=text,
            chunk=passage.chunk,
            score=passage.score,
            marks=tuple(spans(text, sample.answers)) if text else (),
        )
