"""A run in its folder, as Python and notebooks see it, and its summary, derived from its files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from html import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_args, get_type_hints

from mabench.data.formats import published_sources
from mabench.errors import MabenchError, UsageError
from mabench.families import Family
from mabench.injection import PROTOCOLS
from mabench.json_text import to_json, without_surrogates
from mabench.loading import catalogue_of, load
from mabench.printable import printable, write_count
from mabench.results.answers import CallsSummary
from mabench.results.memory import MemorySummary, RowMemory
from mabench.results.records.lines import Judgment, Key, Sample
from mabench.results.records.record import RunRecord
from mabench.results.records.store import RunFolder
from mabench.results.scored import RunVerdicts, ScoredQuestion, score_again
from mabench.results.summaries import RunSummary, SourceSummary
from mabench.results.tally import total_scores

if TYPE_CHECKING:
    import pyarrow

# Rows that are turned into columns at a time.
_BATCH = 1_000
_HEADERS = ("Source", "Metric", "n", "Errors", "Official", "95 %", "Corrected", "95 %")
# Between two settings in the name of an agent.
_OWN = re.compile(r",(?=\w+=)")
_SETTINGS = (
    *("data", "protocol", "chunk_tokens", "prompts", "model", "rows", "limit_questions", "takes"),
)
_TIMES = ("seconds", "search_seconds")
# How many damaged lines a summary names.
_MOST_NAMED = 20


class QuestionRow(NamedTuple):
    """One question of a run with its answer and scores; what is not known is None."""

    run: str  # The folder of the run.
    agent: str  # The agent's name, with its settings.
    # Those of the agent and of the run as JSON: k, data, protocol, prompts, model, and under
    # ``takes`` what was passed natively of conversations that are told by turns.
    settings: str
    source: str  # The source of the row.
    # The place of the history.
    split: str
    row: int
    question_index: int  # Which of its questions, from 0.
    question: str  # The question.
    golds: list[str]  # The answers that the data set accepts.
    prediction: str | None  # The agent's answer; None when it failed.
    error: str | None  # Why there is no prediction.
    # As in ``ScoredQuestion``.
    official: float | None
    corrected: float | None
    verdict: str | None
    rule: str | None
    part: str
    # As in ``Sample``.
    hit_by: str | None
    hit_rank: int | None
    seconds: float | None  # How long the answer took.
    search_seconds: float | None  # How long its search took.
    # What the answer took.
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None  # Of the answer, in US dollars.
    question_type: str | None = None  # The type of the question, such as its category.
    # The share of the statements that the question rests on which was retrieved.
    evidence_recall: float | None = None
    # The turn or the time after which it was asked, in the midst of the history.
    asked_after: str | None = None


class Run:
    """A run in its ``folder``, whose files its ``store`` reads."""

    def __init__(self, folder: Path, store: RunFolder | None = None) -> None:
        self.folder = folder
        self.store = store or RunFolder(folder)

    @classmethod
    def summarize(cls, store: RunFolder) -> Self:
        """Write the summary of a run anew, and return the run."""
        run = cls(store.path, store)
        store.write_summary(run.summary)
        return run

    @cached_property
    def summary(self) -> RunSummary:
        """The scores, from 0 to 100, as in ``summary.json``; derived from the stored samples."""
        return _summarize(self.store)

    @property
    def record(self) -> RunRecord:
        """What the run is, as in ``run.json``."""
        return self.store.record()

    def memories(self) -> list[RowMemory]:
        """Return what is known of each row's memory."""
        store, rows, calls = self.store, self.summary.rows, self.summary.calls
        return RowMemory.of_rows(store, store.memories(), store.timings(), rows, calls)

    def judgments(self) -> Iterator[Judgment]:
        """Yield the verdicts of judges, in the order in which they were given."""
        return self.store.judgments()

    def samples(self) -> Iterator[Sample]:
        """Yield the questions that were asked, with their answers."""
        return self.store.samples()

    def questions(self) -> Iterator[ScoredQuestion]:
        """Yield the questions that were asked, with the scores and verdicts that count."""
        return map(RunVerdicts.of(self.store).score, self.store.samples())

    def rows(self) -> Iterator[QuestionRow]:
        """Yield the questions that were asked as flat rows, with scores, verdicts and seconds."""
        timings = {timing.key: timing for timing in self.store.timings()}
        record = self.record
        fields = record.as_dict() | {"data": record.data.name}
        own = [part.partition("=") for part in _OWN.split(record.agent.partition("[")[2][:-1])]
        settings: dict[str, Any] = {name: value for name, equals, value in own if equals}
        settings |= {name: fields[name] for name in _SETTINGS if fields.get(name) is not None}
        about = {"run": str(self.folder), "agent": record.agent, "settings": to_json(settings)}
        for scored in self.questions():
            sample = scored.sample
            values: dict[str, Any] = {
                name: getattr(scored, name, getattr(sample, name, None))
                for name in QuestionRow._fields
            }
            values |= about | {"golds": list(sample.answers)}
            for name in _TIMES:
                values[name] = getattr(timings.get(sample.key), name, None)
            for name in (*_TIMES, "cost", "evidence_recall"):
                values[name] = None if values[name] is None else float(values[name])
            yield QuestionRow(**values)

    def table(self) -> pyarrow.Table:
        """Return the same rows as an Arrow table, which pandas, polars and DuckDB take.

        The columns are the fields of ``QuestionRow``; ``golds`` holds lists. A mark stands for
        each lone surrogate, which Arrow cannot hold.
        """
        import pyarrow

        kinds = {
            str: pyarrow.string(),
            int: pyarrow.int64(),
            float: pyarrow.float64(),
            list[str]: pyarrow.list_(pyarrow.string()),
        }
        hints = get_type_hints(QuestionRow)
        types = {name: hint if hint in kinds else get_args(hint)[0] for name, hint in hints.items()}
        schema = pyarrow.schema([(name, kinds[kind]) for name, kind in types.items()])
        rows = ({n: _arrow_value(v) for n, v in row._asdict().items()} for row in self.rows())
        batches = []
        while batch := list(islice(rows, _BATCH)):
            batches.append(pyarrow.RecordBatch.from_pylist(batch, schema))
        return pyarrow.Table.from_batches(batches, schema)

    def __repr__(self) -> str:
        """Which run it is; it is not summarized for that."""
        return f"<Run {str(self.folder)!r}>"

    def _repr_html_(self) -> str:
        """Return the scores as a table, which notebooks show; every text in it is escaped.

        The intervals are those for new histories where there are any, else those for these
        histories, which are marked with †.
        """
        summary = self.summary
        title = f"{summary.agent} on {summary.data}, protocol {summary.protocol}"
        rows = []
        for name, source in summary.sources.items():
            n = f"{source.n}" if source.n == source.expected else f"{source.n} of {source.expected}"
            figures = (
                figure
                for score in source.measures.values()
                for figure in ([f"{score:.1f}", score.range()] if score else "--")
            )
            rows.append((name, source.metric, n, f"{source.errors}", *figures))
        head, *body = (
            "".join(f"<{tag}>{escape(printable(cell))}</{tag}>" for cell in cells)
            for tag, cells in [("th", _HEADERS), *(("td", row) for row in rows)]
        )
        return (
            f"<p><b>{escape(printable(title))}</b><br>"
            f"<small>{escape(printable(str(self.folder)))}</small></p><table><thead><tr>{head}</tr>"
            f"</thead><tbody>{''.join(f'<tr>{row}</tr>' for row in body)}</tbody></table>"
        )


class _Scores(NamedTuple):
    """The scores of a question that count, from 0 to 1, and its verdict."""

    official: float | None
    corrected: float | None
    verdict: str | None

    @classmethod
    def by_question(cls, folder: RunFolder) -> dict[Key, Self]:
        verdicts = RunVerdicts.of(folder)
        scored = map(verdicts.score, folder.samples())
        return {one.sample.key: cls(one.official, one.corrected, one.verdict) for one in scored}


class ScoreChange(NamedTuple):
    """A question that has other scores, or another verdict, since it was scored again."""

    source: str
    row: int
    question_index: int
    before: _Scores
    after: _Scores

    def __str__(self) -> str:
        fields = zip(_Scores._fields, self.before, self.after, strict=True)
        changes = [
            f"{name} {_in_words(old)} -> {_in_words(new)}"
            for name, old, new in fields
            if old != new
        ]
        place = f"{self.source}, row {self.row}, question {self.question_index}"
        return f"{place}: {', '.join(changes)}"


def _in_words(value: float | str | None) -> str:
    return "none" if value is None else value if isinstance(value, str) else f"{100 * value:.1f}"


def rescore(
    path: str | Path,
    entities: str | Path | None = None,
    data: str | None = None,
    changed: Callable[[Sequence[ScoreChange]], None] | None = None,
) -> Run:
    """Score every sample of a run again, by this version's rules, and store the scores.

    ``changed`` is told which questions have other scores now.

    A sample from whose prediction a secret was taken out keeps its scores: they are those of what
    the agent answered, which is not stored.

    The ``entities`` of recommendation samples are else those of the run's data set, which lies
    where ``data`` says, if not where the run found it.

    Raises:
        DataError: when a file of the run cannot be read.
        UsageError: when the folder holds no run, another process is writing there, or ``data`` is
            another data set.
    """
    folder, dataset = RunFolder(Path(path)), None
    record = folder.record()
    with folder.own():
        folder.repair()
        if data is not None:
            dataset = load(data)
            if dataset.fingerprint != record.data.fingerprint:
                raise UsageError(
                    f"{data} does not hold the rows of this run, from "
                    f"{record.data.location or record.data.name}; leave out `data`, or give that "
                    "data set",
                    parameter="data",
                )
        elif record.data.location:
            with suppress(MabenchError):  # It may have moved since.
                dataset = load(record.data.location, offline=True)
        sources = record.all_sources
        catalogue = catalogue_of(dataset, entities, folder.families().values())
        before = _Scores.by_question(folder) if changed else {}
        folder.replace_samples(
            sample if sample.redacted else score_again(sample, sources[sample.source], catalogue)
            for sample in folder.samples(every=True)
        )
        if changed:
            after = _Scores.by_question(folder)
            source_of = {sample.key: sample.source for sample in folder.samples()}
            changed(
                [
                    ScoreChange(source_of[key], *key[1:], before[key], scores)
                    for key, scores in after.items()
                    if scores != before[key]
                ]
            )
        return Run.summarize(folder)


def _arrow_value(value: object) -> object:
    if isinstance(value, str):
        return without_surrogates(value)
    return [_arrow_value(part) for part in value] if isinstance(value, list) else value


def _summarize(folder: RunFolder) -> RunSummary:
    record, verdicts = folder.record(), RunVerdicts.of(folder)
    memories, timings = folder.memories(), [*folder.timings()]
    scores = total_scores(
        map(verdicts.score, folder.samples()),
        record.questions,
        verdicts,
        benchmark=record.data.benchmark,
    )
    usage = {(row.split, row.row): row for row in scores.rows}
    source_of = {place: row.source for place, row in {**memories, **usage}.items()}
    seconds: dict[str | None, float] = defaultdict(float)
    timed: dict[str | None, set[int]] = defaultdict(set)
    for timing in timings:
        source = source_of.get((timing.split, timing.row))
        seconds[source] += timing.seconds
        timed[source].add(hash((timing.split, timing.row, timing.question_index)))
    wasted = sum(timing.wasted or 0.0 for timing in timings)
    unknown = {row.source for place, row in usage.items() if place not in memories}
    memorized: dict[str, float] = defaultdict(float)
    for memory in memories.values():
        memorized[memory.source] += memory.seconds
    calls = None
    if any(row.metered for row in memories.values()) or next(folder.calls(), None):
        calls = CallsSummary.of(memories.values(), folder.calls(), scores.spent.n)
        wasted += (calls.preflight and calls.preflight.cost) or 0.0
    spent = scores.spent
    if wasted:  # The replies that gave no answer were paid, too.
        spent = replace(spent, cost=(spent.cost or 0.0) + wasted)
    damaged = [f"{line}." for line in folder.damaged()]
    if len(damaged) > _MOST_NAMED:
        damaged[_MOST_NAMED:] = [
            f"Not readable: {write_count(len(damaged) - _MOST_NAMED, 'more line')}."
        ]
    of_rows = RowMemory.of_rows(folder, memories, timings, scores.rows, calls)
    sources = {
        name: SourceSummary(
            **{field: getattr(source, field) for field in source.__dataclass_fields__},
            seconds_memorize=None if name in unknown else memorized[name],
            seconds_answer=seconds[name] if len(timed[name]) >= source.n else None,
            memory=MemorySummary.of([row for row in of_rows if row.record.source == name]),
        )
        for name, source in scores.sources.items()
    }
    return RunSummary(
        agent=record.agent,
        data=record.data.name,
        protocol=record.protocol,
        sources=sources,
        rows=scores.rows,
        spent=spent,
        commonest_error=scores.commonest_error,
        **scores.means,
        memory=MemorySummary.of(of_rows),
        calls=calls,
        damaged=tuple(damaged) or None,
        titles=record.data.titles,
        leaks=_leaks(record.protocol, verdicts.families) or None,
        takes=record.takes,
    )


def _leaks(protocol_name: str, families: Mapping[str, Family]) -> dict[str, str]:
    protocol = PROTOCOLS.get(protocol_name)  # Of files of predictions it is unknown.
    if protocol is None or not protocol.leaks:
        return {}
    leaks = {name: leak.what for name, family in families.items() if (leak := family.leak)}
    others = published_sources() if leaks else ()  # Not in the benchmark's form.
    return {name: what for name, what in leaks.items() if name not in others}
