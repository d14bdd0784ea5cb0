"""Collects everything known about how each answer of a run came about.

It comes from the files of the run and from its data set, which is read again. A data set that has
moved or changed is no error: the background then says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

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
    prompt_names = {each.sample.prompt for each in listed if each.sample.prompt and prompts}
    prompt_texts = store.prompts(prompt_names) if prompt_names else {}
    judgments = defaultdict[Key, list[Judgment]](list)
    for judgment in store.judgments():
        judgments[judgment.key].append(judgment)
    history, why_without = None, None
    try:
        history = ChunkReader(run, data)
    except DataError as error:
        why_without = str(error)
    listed_calls = [*store.calls()]
    calls, shared = _calls_by_question(listed_calls)
    memories = store.memories()
    for question in listed:
        sample, memory = question.sample, memories.get(question.place)
        chunks = history.chunks(question.place) if history else ()
        recorded_number = memory.chunks if memory else None
        background = Background(
            chunks=len(chunks) if chunks else recorded_number,
            golds=_locate_golds(sample, chunks, recorded_number),
            support=(history.support(question.place, sample.question_index) if history else None),
            passages=tuple(_passages(sample, chunks)),
            prompt=prompt_texts.get(sample.prompt or ""),
            judgments=tuple(judgments[question.key]),
            without=why_without,
            calls=calls.get(question.key, {}) if listed_calls else None,
            shared_calls=shared[question.place],
            history_tokens=memory.tokens if memory else None,
        )
        yield replace(question, background=background)


def describe(question: ScoredQuestion) -> dict[str, Json]:
    """Return a question with its background as a JSON object."""
    background = question.background.as_dict()
    scores = ("metric", "official", "corrected", "verdict", "rule", "part")
    before = ("chunks", "golds", "passages", "prompt", "judgments")
    after = ("without", "calls", "shared_calls")
    return {
        "sample": question.sample.as_dict(),
        **{name: getattr(question, name) for name in scores},
        **{name: background[name] for name in before},
        "seen": None if question.seen is None else question.seen.as_dict(),
        "seconds": question.seconds,
        **{name: background[name] for name in after},
    }


def _locate_golds(
    sample: Sample, chunks: Sequence[str], recorded_number: int | None
) -> tuple[GoldPlace, ...] | None:
    """Return where the gold answers are in the history; None if the sample does not say.

    Without ``chunks``, the places have no text, and their depth (the percentage of the history
    before a chunk) is computed from the number of chunks.
    """
    if sample.gold_chunks is None:
        return None
    lengths = [len(chunk) for chunk in chunks]
    places = []
    for index in sample.gold_chunks:
        text, depth, marks = None, None, list[Span]()
        if index < len(chunks):
            text, marks = cut_excerpt(
                chunks[index], find_spans(chunks[index], sample.answers), _AROUND
            )
            depth = 100 * sum(lengths[:index]) / sum(lengths)
        elif recorded_number:
            depth = 100 * index / recorded_number
        places.append(GoldPlace(chunk=index, depth=depth, text=text, marks=tuple(marks)))
    return tuple(places)


def _passages(sample: Sample, chunks: Sequence[str]) -> Iterator[ReadPassage]:
    """Yield the retrieved passages with their texts, ranks and marked gold answers."""
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


def _calls_by_question(
    calls: Iterable[CallRecord],
) -> tuple[Mapping[Key, dict[str, CallTotals]], Counter[Place]]:
    """Return the totals of each question's calls by model, and the number of shared calls by row.

    Only calls while questions were answered count. A call is shared when several questions were
    answered at the time, so that nobody knows for which one it was made.
    """
    calls_of = defaultdict[Key, dict[str, list[CallRecord]]](lambda: defaultdict(list))
    shared = Counter[Place]()
    for call in calls:
        if call.phase != "answering":
            continue
        if call.question_index is None:
            shared[call.place] += 1
        else:
            key = (*call.place, call.question_index)
            calls_of[key][call.model or "none"].append(call)
    totals = {
        key: {model: CallTotals.of(listed) for model, listed in sorted(by_model.items())}
        for key, by_model in calls_of.items()
    }
    return totals, shared
