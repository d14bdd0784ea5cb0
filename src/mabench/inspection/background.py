"""Collects the background of questions: everything known about how each answer came about.

It comes from the files of the run and from its data set, which is read again. A data set that has
moved or changed is no error: the background then says so, and lacks what only the data tell.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from mabench.errors import DataError
from mabench.inspection.history import ChunkReader
from mabench.json_text import Json
from mabench.results import (
    Background,
    CallRecord,
    CallTotals,
    GoldPlace,
    Judgment,
    Key,
    Place,
    ReadPassage,
    Run,
    Sample,
    ScoredQuestion,
    SupportPlace,
)
from mabench.text.spans import Span, cut_excerpt, find_spans

# How many characters are shown on each side of a gold answer.
_AROUND = 160


def look_up(
    run: Run, questions: Iterable[ScoredQuestion], data: object = None, *, prompts: bool = True
) -> Iterator[ScoredQuestion]:
    """Yield the given questions of a run with their background, in the same order.

    ``data`` is the run's data set, if it has moved. Without ``prompts``, no prompts are read.
    Questions of one row should be together: otherwise their history is read several times.
    """
    listed = list(questions)
    if not listed:
        return
    store = run.store
    # A sample names its prompt by a hash; the texts are read only if they are wanted.
    prompt_names = {question.sample.prompt for question in listed if question.sample.prompt}
    prompt_texts = store.prompts(prompt_names) if prompts and prompt_names else {}
    judgments = defaultdict[Key, list[Judgment]](list)
    for judgment in store.judgments():
        judgments[judgment.key].append(judgment)
    history, why_without_history = None, None
    try:
        history = ChunkReader(run, data)
    except DataError as error:
        why_without_history = str(error)
    calls = _sort_calls(store.calls())
    memories = store.memories()
    for question in listed:
        sample, memory = question.sample, memories.get(question.place)
        chunks = history.chunks(question.place) if history else ()
        recorded_number = memory.chunks if memory else None
        background = Background(
            chunks=len(chunks) if chunks else recorded_number,
            golds=_locate_golds(sample, chunks, recorded_number),
            support=_locate_support(question, chunks, history),
            passages=tuple(_read_passages(sample, chunks)),
            prompt=prompt_texts.get(sample.prompt or ""),
            judgments=tuple(judgments[question.key]),
            without=why_without_history,
            calls=calls.by_question.get(question.key, {}) if calls.were_metered else None,
            shared_calls=calls.shared[question.place],
            history_tokens=memory.tokens if memory else None,
        )
        yield replace(question, background=background)


def describe(question: ScoredQuestion) -> dict[str, Json]:
    """Return a question with its background as a JSON object, whose fields have a fixed order."""
    background = question.background.as_dict()
    return {
        "sample": question.sample.as_dict(),
        "metric": question.metric,
        "official": question.official,
        "corrected": question.corrected,
        "verdict": question.verdict,
        "rule": question.rule,
        "part": question.part,
        "chunks": background["chunks"],
        "golds": background["golds"],
        "support": background["support"],
        "passages": background["passages"],
        "prompt": background["prompt"],
        "judgments": background["judgments"],
        "seen": None if question.seen is None else question.seen.as_dict(),
        "seconds": question.seconds,
        "without": background["without"],
        "calls": background["calls"],
        "shared_calls": background["shared_calls"],
    }


def _locate_golds(
    sample: Sample, chunks: Sequence[str], recorded_number: int | None
) -> tuple[GoldPlace, ...] | None:
    """Return where the gold answers are in the history; None if the sample does not say.

    Args:
        sample: a question with its answer, and the indices of the chunks that hold a gold.
        chunks: the chunks of its history; empty if they could not be read. The places then have no
            text, and their depth is computed from the number of chunks.
        recorded_number: how many chunks the run recorded.
    """
    if sample.gold_chunks is None:
        return None
    places = []
    for index in sample.gold_chunks:
        text, depth, marks = None, None, list[Span]()
        if index < len(chunks):
            gold_spans = find_spans(chunks[index], sample.answers)
            text, marks = cut_excerpt(chunks[index], gold_spans, _AROUND)
            depth = _depth_of(index, chunks)
        elif recorded_number:
            depth = 100 * index / recorded_number
        places.append(GoldPlace(chunk=index, depth=depth, text=text, marks=tuple(marks)))
    return tuple(places)


def _depth_of(index: int, chunks: Sequence[str]) -> float:
    """Return the depth of a chunk: the percentage of the history's characters before it."""
    lengths = [len(chunk) for chunk in chunks]
    return 100 * sum(lengths[:index]) / sum(lengths)


def _locate_support(
    question: ScoredQuestion, chunks: Sequence[str], history: ChunkReader | None
) -> tuple[SupportPlace, ...] | None:
    """Return the statements that a question rests on, as the data say, and where they were told.

    Return None if the data say nothing of it or cannot be read.
    """
    if history is None:
        return None
    sample, evidence = question.sample, history.evidence(question.place)
    names = evidence.statements(sample.question_index)
    # For each statement, the rank of the first passage that holds it.
    ranks = sample.evidence_ranks or ()
    if len(ranks) != len(names):  # The agent did not say what it retrieved.
        ranks = (None,) * len(names)
    places = []
    for name, rank in zip(names, ranks, strict=True):
        number = evidence.rank_of(name, chunks)  # Of the first chunk that holds it, from 1.
        index = None if number is None else number - 1
        places.append(
            SupportPlace(
                text=evidence.text_of(name),
                chunk=index,
                depth=None if index is None else _depth_of(index, chunks),
                rank=rank,
            )
        )
    return tuple(places) or None


def _read_passages(sample: Sample, chunks: Sequence[str]) -> Iterator[ReadPassage]:
    """Yield the retrieved passages of a question with their texts, ranks and marked gold answers.

    A passage that was recorded as the index of a chunk has no text if ``chunks`` is empty.
    """
    for rank, passage in enumerate(sample.retrieved, start=1):
        text = passage.text
        if text is None and passage.chunk is not None and passage.chunk < len(chunks):
            text = chunks[passage.chunk]
        yield ReadPassage(
            rank=rank,
            text=text,
            chunk=passage.chunk,
            score=passage.score,
            marks=tuple(find_spans(text, sample.answers)) if text else (),
            evidence=rank in (sample.evidence_ranks or ()),
        )


class _SortedCalls(NamedTuple):
    """The calls of models that a memory made while questions were answered."""

    were_metered: bool  # Whether the run recorded any call, also while histories were told.
    by_question: Mapping[Key, dict[str, CallTotals]]  # By question and then by model.
    # How many calls of each row were made while several of its questions were answered, so that
    # nobody knows for which one.
    shared: Counter[Place]


def _sort_calls(calls: Iterable[CallRecord]) -> _SortedCalls:
    """Sum up the calls that were made while questions were answered, by question or by row."""
    by_question = defaultdict[Key, dict[str, list[CallRecord]]](lambda: defaultdict(list))
    shared = Counter[Place]()
    were_metered = False
    for call in calls:
        were_metered = True
        if call.phase != "answering":
            continue
        if call.question_index is None:
            shared[call.place] += 1
        else:
            key = (*call.place, call.question_index)
            by_question[key][call.model or "none"].append(call)
    totals = {
        key: {model: CallTotals.of(of_model) for model, of_model in sorted(by_model.items())}
        for key, by_model in by_question.items()
    }
    return _SortedCalls(were_metered, totals, shared)
