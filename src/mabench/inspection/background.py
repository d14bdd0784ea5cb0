"""All that is known of how each answer of a run came to be.

It is brought together from the files of the run and from the history, which is read again from the
data. Data that have gone or changed are no error: the background says so instead.
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

# How many characters are shown on each side of a gold.
_AROUND = 160


def look_up(
    run: Run, questions: Iterable[ScoredQuestion], data: object = None, *, prompts: bool = True
) -> Iterator[ScoredQuestion]:
    """Yield questions of a run, those of a row together, with their background.

    ``data`` is the run's data set, if it has moved. Without ``prompts`` none are read.
    """
    listed = list(questions)
    if not listed:
        return
    store = run.store
    names = {each.sample.prompt for each in listed if each.sample.prompt and prompts}
    texts = store.prompts(names) if names else {}
    judgments = defaultdict[Key, list[Judgment]](list)
    for judgment in store.judgments():
        judgments[judgment.key].append(judgment)
    history, without = None, None
    try:
        history = ChunkReader(run, data)
    except DataError as error:
        without = str(error)
    listed_calls = [*store.calls()]
    calls, shared = _calls_by_question(listed_calls)
    memories = store.memories()
    for question in listed:
        sample, memory = question.sample, memories.get(question.place)
        chunks = history.chunks(question.place) if history else ()
        number = memory.chunks if memory else None
        background = Background(
            chunks=len(chunks) if chunks else number,
            golds=_golds(sample, chunks, number),
            passages=tuple(_passages(sample, chunks)),
            prompt=texts.get(sample.prompt or ""),
            judgments=tuple(judgments[question.key]),
            without=without,
            calls=calls.get(question.key, {}) if listed_calls else None,
            shared_calls=shared[question.place],
            history_tokens=memory.tokens if memory else None,
        )
        yield replace(question, background=background)


def describe(question: ScoredQuestion) -> dict[str, Json]:
    """Return a question with its background as JSON has it."""
    background = question.background.as_dict()
    scores = ("metric", "official", "corrected", "verdict", "rule", "part")
    before = ("chunks", "golds", "passages", "prompt", "judgments")
    after = ("without", "calls", "shared_calls")
    return {
        "sample": question.sample.as_dict(),
        **{name: getattr(question, name) for name in scores},
        **{name: background[name] for name in before},
        "seconds": question.seconds,
        **{name: background[name] for name in after},
    }


def _golds(
    sample: Sample, chunks: Sequence[str], number: int | None
) -> tuple[GoldPlace, ...] | None:
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
        places.append(GoldPlace(chunk=index, depth=depth, text=text, marks=tuple(marks)))
    return tuple(places)


def _passages(sample: Sample, chunks: Sequence[str]) -> Iterator[ReadPassage]:
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
