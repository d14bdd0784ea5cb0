"""Looking into a run: which questions, and all that is known of how each answer came to be.

``question_views`` brings together what a run folder keeps and the history, which is read from the
data again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mabench.data import Row, match_sources
from mabench.errors import DataError, UsageError
from mabench.families import family_of
from mabench.injection import protocol_named
from mabench.json_text import JsonRecord
from mabench.loading import load
from mabench.results import (
    CallRecord,
    CallTotals,
    Judgment,
    Key,
    Place,
    Run,
    Sample,
    ScoredQuestion,
)
from mabench.text.spans import Span, cut_excerpt, find_spans

_RIGHT = ("right", "right_unretrieved")
_AROUND = 160


@dataclass(frozen=True, slots=True)
class Selection:
    """The questions of a run that are looked at; None stands for all."""

    sources: tuple[str, ...] | None = None  # Each with its length or without.
    rows: tuple[int, ...] | None = None  # Their indices within their splits.
    question: int | None = None  # Its index within its row.
    wrong: bool = False  # Those that are, by the official score or by their part, or have no score.
    part: str | None = None  # One of ``PARTS``.
    other: Run | None = None  # The run that scored their answers otherwise.

    def select(self, run: Run) -> Iterator[ScoredQuestion]:
        """Yield the questions of a run that are selected, in order; UsageError without any."""
        sources, asked = self.sources, run.record.questions
        if sources is not None:
            own = {name: one for name, one in run.record.all_sources.items() if name in asked}
            listed = f"the run has {', '.join(asked)}"
            sources = tuple(match_sources(sources, own, listed=listed))
        before = None
        if self.other:
            before = {each.sample.key: each.official for each in self.other.questions()}
        places = defaultdict[int, list[int]](list)  # Of questions, by row.
        for question in run.questions():
            sample, official = question.sample, question.official
            if sources is not None and sample.source not in sources:
                continue
            places[sample.row].append(sample.question_index)
            scores = {official, official if before is None else before.get(sample.key)}
            if (
                (self.rows is None or sample.row in self.rows)
                and self.question in (None, sample.question_index)
                and not (self.wrong and official == 1 and question.part in _RIGHT)
                and (before is None or (len(scores) == 2 and None not in scores))
                and self.part in (None, question.part)
            ):
                yield question
        self._check_place(run, sources, places)

    def _check_place(
        self, run: Run, sources: Sequence[str] | None, places: Mapping[int, Sequence[int]]
    ) -> None:
        """Raise ``UsageError`` where no question of the selection was asked, and say what was."""
        rows = [row for row in places if self.rows is None or row in self.rows]
        asked = {index for row in rows for index in places[row]}
        if asked and self.question in (None, *asked):
            return
        if not places:
            raise UsageError(f"{run.folder}: no answer yet to any question")
        questions = run.record.questions
        has, none = "has", "no"
        if sum(map(len, places.values())) < sum(questions[name] for name in sources or questions):
            has, none = "has so far answers of", "no answer yet to"  # The rest may be there.
        whose = ", ".join(sources) if sources else str(run.folder)
        wanted, there = _span("row", self.rows or ()), _span("row", places)
        if rows:
            whose += f", {_span('row', rows)},"
            wanted, there = f"question {self.question}", _span("question", asked)
        raise UsageError(f"{none} {wanted}: {whose} {has} {there}")


def _span(noun: str, numbers: Iterable[int]) -> str:
    """Return numbers in words, such as ``rows 20 to 29`` or ``row 3``."""
    listed = sorted({*numbers})
    plural = f"{noun}{'s' * (len(listed) > 1)}"
    if len(listed) > 2 and listed[-1] - listed[0] == len(listed) - 1:
        return f"{plural} {listed[0]} to {listed[-1]}"
    return f"{plural} {', '.join(map(str, listed))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageView(JsonRecord):
    """A retrieved passage."""

    rank: int  # From 1.
    text: str | None  # Null where it is a chunk and the history cannot be read.
    chunk: int | None  # The index of the chunk that it repeats; null for one of the memory's own.
    score: float | None  # The memory's score of it; null where it gave none.
    marks: tuple[Span, ...]  # Where an answer stands in it: start and end.
    evidence: bool  # Whether it is the first to hold a statement that the question rests on.


@dataclass(frozen=True, slots=True, kw_only=True)
class _GoldPlace(JsonRecord):
    """A chunk of the history in which an answer stands."""

    chunk: int  # Its index, from 0.
    depth: float | None  # How deep it begins, from 0 (the start) to 100; null where nobody knows.
    text: str | None  # What stands around the answer; null where the history cannot be read.
    marks: tuple[Span, ...]  # Where the answer stands in ``text``.


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView(JsonRecord):
    """One question of a run."""

    sample: Sample  # What the run keeps of it.
    metric: str  # The metric that the paper reports for its source.
    official: float | None  # Its scores, from 0 to 1; null while there is none.
    corrected: float | None
    # ``right``, ``wrong``, ``partial``, ``unclear`` or ``not judged``; null where it is not scored.
    verdict: str | None
    rule: str | None  # The one that decided the corrected score, ``judge`` or ``no-answer``.
    part: str  # What became of it, one of ``PARTS``.
    chunks: int | None  # How many chunks the history has; null where that is not known.
    # The chunks in which an answer stands; null where answers are not to be looked for there.
    golds: tuple[_GoldPlace, ...] | None
    passages: tuple[PassageView, ...]  # What was retrieved, the best first.
    prompt: str | None  # What a language model was shown; null where none was, or nobody kept it.
    judgments: tuple[Judgment, ...]  # The verdicts of judges, in the order in which they came.
    seconds: float | None  # How long the answer took; null where that is not known.
    without: str | None  # Why the history cannot be read; null where it can, or is not needed.
    # The calls of models while it was asked, by model; null where the run knows of none.
    calls: Mapping[str, CallTotals] | None
    # How many calls of the row while it was answering belong to no question, as several were asked.
    shared_calls: int


def question_views(
    run: Run, questions: Iterable[ScoredQuestion], data: object = None, *, prompts: bool = True
) -> Iterator[QuestionView]:
    """Yield questions of a run, those of a row together, with all that is known of them.

    ``data`` is the run's data set, if it has moved; one that is gone is no error: the views say
    that. Without ``prompts`` none are read.
    """
    listed = list(questions)
    if not listed:
        return
    folder = run.store
    names = {each.sample.prompt for each in listed if each.sample.prompt and prompts}
    texts = folder.prompts(names) if names else {}
    judgments = defaultdict[Key, list[Judgment]](list)
    for judgment in folder.judgments():
        judgments[judgment.key].append(judgment)
    seconds = {timing.key: timing.seconds for timing in folder.timings()}
    history, without = None, None
    try:
        history = _ChunkReader(run, data)
    except DataError as error:
        without = str(error)
    listed_calls = [*folder.calls()]
    calls, shared = _by_question(listed_calls)
    counts = {place: memory.chunks for place, memory in folder.memories().items()}
    for scored in listed:
        sample = scored.sample
        place = (sample.split, sample.row)
        chunks = history.chunks(place) if history else ()
        same = scored._asdict()
        del same["judge"]
        yield QuestionView(
            **same,
            metric=family_of(sample.source, run.record.all_sources).metric,
            chunks=len(chunks) if chunks else counts.get(place),
            golds=_golds(sample, chunks, counts.get(place)),
            passages=tuple(_passages(sample, chunks)),
            prompt=texts.get(sample.prompt or ""),
            judgments=tuple(judgments[sample.key]),
            seconds=seconds.get(sample.key),
            without=without,
            calls=calls.get(sample.key, {}) if listed_calls else None,
            shared_calls=shared[place],
        )


def _golds(
    sample: Sample, chunks: Sequence[str], number: int | None
) -> tuple[_GoldPlace, ...] | None:
    if sample.gold_chunks is None:
        return None
    lengths = [*map(len, chunks)]
    places = []
    for index in sample.gold_chunks:
        text, depth, marks = None, None, list[Span]()
        if index < len(chunks):
            text, marks = cut_excerpt(
                chunks[index], find_spans(chunks[index], sample.answers), _AROUND
            )
            depth = 100 * sum(lengths[:index]) / sum(lengths)
        elif number:
            depth = 100 * index / number
        places.append(_GoldPlace(chunk=index, depth=depth, text=text, marks=tuple(marks)))
    return tuple(places)


def _passages(sample: Sample, chunks: Sequence[str]) -> Iterator[PassageView]:
    for rank, passage in enumerate(sample.retrieved, start=1):
        text = passage.text
        if text is None and passage.chunk is not None and passage.chunk < len(chunks):
            text = chunks[passage.chunk]
        yield PassageView(
            rank=rank,
            text=text,
            chunk=passage.chunk,
            score=passage.score,
            marks=tuple(find_spans(text, sample.answers)) if text else (),
            evidence=rank in (sample.evidence_ranks or ()),
        )


def _by_question(
    calls: Iterable[CallRecord],
) -> tuple[Mapping[Key, dict[str, CallTotals]], Counter[Place]]:
    """Return the calls while each question was answered, by model, and how many were of several."""
    models = defaultdict[Key, dict[str, list[CallRecord]]](lambda: defaultdict(list))
    shared = Counter[Place]()
    for call in calls:
        if call.phase == "answering" and call.question_index is None:
            shared[call.place] += 1
        elif call.phase == "answering" and call.question_index is not None:
            models[(*call.place, call.question_index)][call.model or "none"].append(call)
    totals = {
        key: {name: CallTotals.of(of) for name, of in sorted(by_model.items())}
        for key, by_model in models.items()
    }
    return totals, shared


class _ChunkReader:
    """Reads the chunks that an agent was told again from the data set of its run.

    It raises DataError when that is gone, cannot be read, is another, or lacks a row.
    """

    def __init__(self, run: Run, data: object = None) -> None:
        self._record = record = run.record
        location = record.data.location if data is None else data
        if location is None:
            raise DataError(
                f"{run.folder}: the rows of {record.data.name} came from memory, so the history "
                "cannot be reread; name a file with them as `data`"
            )
        declared = {name: record.all_sources[name] for name in record.sources or ()}
        try:
            self._dataset = load(location, offline=True, sources=declared)
            fingerprint = self._dataset.fingerprint
        except DataError as error:
            raise DataError(f"the data of {run.folder} cannot be reread: {error}") from error
        if fingerprint != record.data.fingerprint:
            raise DataError(
                f"{location} has changed since {run.folder} was run: its fingerprint is "
                f"{fingerprint}, that of the run {record.data.fingerprint}; name the rows of the "
                "run as `data`"
            )
        self._last: tuple[Place, Sequence[str]] | None = None
        self._rows: Iterator[Row] = iter(())

    def chunks(self, place: Place) -> Sequence[str]:
        """Return the chunks of a row, without the words that prompts put around them."""
        if self._last and self._last[0] == place:
            return self._last[1]
        record, dataset = self._record, self._dataset
        protocol, takes = protocol_named(record.protocol), record.takes
        native, unit = (takes.told, takes.unit) if takes else ((), "turn")
        # Rows that are asked for in the order of the data are read once.
        for again in (False, True):
            if again:
                self._rows = dataset.rows(list(record.questions))
            for row in self._rows:
                if (row.split, row.index) == place:
                    family, size = family_of(row.source, dataset.sources), record.chunk_tokens
                    script = protocol.script(
                        family, row, size, native=native, unit=unit, offline=True
                    )
                    self._last = place, [piece.text for piece in script.pieces]
                    return self._last[1]
        raise DataError(f"{dataset.name}: no row {place[1]} of {place[0]}")
