"""The short report of a run: its score, where points were lost, what it cannot tell, one table.

What is not known is left out or said to be unknown. A question is *missed* if the memory did not
retrieve its support, and *misread* if that was retrieved and the answer is wrong all the same. Such
outcomes are the parts of a source's questions; ``PARTS`` has each in words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from mabench.printable import write_count, write_number
from mabench.reports.brief.remarks import first_remarks, shared_title
from mabench.reports.report import Report
from mabench.reports.score_remarks import NOT_THE_BENCHMARKS
from mabench.reports.tables import Column, Value, retitle, tabulate, titles_of
from mabench.results import MISSED, PARTS, THESE, Measure, RunSummary, ScoreSummary, SourceScores

# With fewer questions, nothing is said about where points are lost.
_FEWEST_QUESTIONS = 20


class _SourceLine(NamedTuple):
    """A source in the table."""

    name: str
    scores: SourceScores
    measures: Mapping[str, Measure | None]  # Its official and corrected scores.


def brief_run_report(
    summary: RunSummary, remarks: Sequence[str], own: Collection[str] = ()
) -> Report:
    """Return the short report of a run.

    ``remarks`` are those of the full report, the most important first; the first few are kept.
    ``own`` are the sources of a user's own conversations or documents, whose evidence comes first.
    """
    # The headline says it already that the rows are not the benchmark's.
    new_remarks = [remark for remark in remarks if remark != NOT_THE_BENCHMARKS]
    shared, titles = shared_title(titles_of([summary]))
    first = [*_evidence_sentences(summary, own), *headlines(summary, shared)]
    table = tabulate(
        _COLUMNS,
        [_SourceLine(name, source, source.measures) for name, source in summary.sources.items()],
    )
    report = Report(first=first, tables=[table], remarks=first_remarks(new_remarks))
    return retitle(report, titles)


def _evidence_sentences(summary: ScoreSummary, own: Collection[str]) -> Iterator[str]:
    """Yield what was retrieved of the evidence for one's own questions, and what became of them.

    ``own`` are the names of one's own sources; nothing is yielded for one without marked evidence.
    """
    for name in own:
        source = summary.sources[name]
        if source.evidence_recall is None:
            continue
        outcomes = [
            f"{count} {PARTS[part].head.lower()}" for part, count in source.parts.items() if count
        ]
        yield (
            f"{summary.agent} retrieved {source.evidence_recall:.0f} % of what the answers to "
            f"{write_count(source.n, 'question')} of {name} rest on: {', '.join(outcomes)}."
        )


def headlines(summary: ScoreSummary, shared: str) -> Iterator[str]:
    """Yield what came out: the score with the lost points, and what it cannot tell.

    ``shared`` is what the titles of all sources say, such as ``made up``; empty if nothing.
    """
    yield f"{_score_words(summary, shared)}{_loss_words(summary)}."
    unknown = _unknown_sentence(summary)
    if unknown is not None:
        yield unknown


def _score_words(summary: ScoreSummary, shared: str) -> str:
    """Return the score with its interval, and what it is of, as the beginning of a sentence."""
    data = f"{summary.data} ({shared})" if shared else summary.data
    if summary.sources and all(source.needs == "golds" for source in summary.sources.values()):
        return f"{summary.agent} on {data} is not scored: nobody said which answers are right"
    scored = [name for name, source in summary.sources.items() if source.official is not None]
    if not scored or summary.headline is None:
        return f"{summary.agent} on {data} has no score yet"
    if summary.overall is not None:
        score, what = Measure.of(summary.overall, summary.overall_interval), "the overall score"
    elif len(scored) == 1:
        score, what = summary.sources[scored[0]].measures["official"], scored[0]
    else:
        score = Measure.of(summary.headline, summary.mean_interval)
        what = f"the mean of {write_count(len(scored), 'source')}"
    questions = write_count(sum(summary.sources[name].n for name in scored), "question")
    return f"{summary.agent} scores {score} ({what}, {questions}) on {data}"


class LossShares(NamedTuple):
    """Of 100 questions, how many were missed by the memory and misread by the reader."""

    missed: float
    misread: float

    def words(self, *, explained: bool = False) -> str:
        """Return both in words, with what they mean if ``explained``."""
        missed, misread = write_number(self.missed, ".0f"), write_number(self.misread, ".0f")
        if not explained:
            return f"{missed} and {misread}"
        return (
            f"of 100 questions {missed} are missed (not retrieved) and {misread} misread "
            "(retrieved, and answered wrong)"
        )


def sources_with_causes(summary: ScoreSummary) -> set[str]:
    """Return the sources with known retrieval, and so with known causes of lost points."""
    return {name for name, source in summary.sources.items() if _is_cause_known(source)}


def loss_shares(summary: ScoreSummary, names: Collection[str]) -> LossShares | None:
    """Return where points were lost on some sources; None if these have too few questions.

    All of ``names`` must be among the ``sources_with_causes``.
    """
    sources = [summary.sources[name] for name in names]
    questions = sum(source.n for source in sources)
    if questions < _FEWEST_QUESTIONS:
        return None
    return LossShares(
        missed=100 * sum(source.missed for source in sources) / questions,
        misread=100 * sum(source.parts["misread"] for source in sources) / questions,
    )


def _loss_words(summary: ScoreSummary) -> str:
    """Return where points were lost, as the end of a sentence; empty if too little is known."""
    lost = loss_shares(summary, sources_with_causes(summary))
    return f"; {lost.words(explained=True)}" if lost else ""


def _unknown_sentence(summary: ScoreSummary) -> str | None:
    """Return what the score cannot tell; None if it tells all."""
    sources = summary.sources.values()
    unjudged = [source for source in sources if source.needs == "judge"]
    unclear = sum(source.unclear or 0 for source in sources)
    scores = [source.measures["official"] for source in sources]
    # An interval for these histories alone says nothing about new ones.
    of_few_histories = [score for score in scores if score and score.these and not score.new]
    unknown = []
    if unjudged:
        unknown.append(f"{write_count(len(unjudged), 'source')} without a judge's verdicts")
    if unclear:
        unknown.append(write_count(unclear, "unclear answer"))
    if of_few_histories:
        few = write_count(len(of_few_histories), "source")
        unknown.append(f"new histories of {few}, which have too few ({THESE})")
    return f"It cannot tell: {'; '.join(unknown)}." if unknown else None


def _is_cause_known(source: SourceScores) -> bool:
    """Return whether it is known what was retrieved for the questions of a source."""
    tells_causes = any(count > 0 and PARTS[part].tells for part, count in source.parts.items())
    return source.retrieval is not None and tells_causes


def _share(row: _SourceLine, parts: Sequence[str]) -> Value:
    """Return how many of 100 questions became one of ``parts``; None if it is not known."""
    if not _is_cause_known(row.scores):
        return None
    return 100 * sum(row.scores.parts[part] for part in parts) / row.scores.n


def _count_asked(row: _SourceLine) -> Value:
    """Return the number of answered questions, and of all if some are still open."""
    n, expected = row.scores.n, row.scores.expected
    return n if n == expected else f"{n} of {expected}"


def _do_scores_differ(rows: Sequence[_SourceLine]) -> bool:
    """Return whether official and corrected score differ on any source."""
    return any(row.measures["official"] != row.measures["corrected"] for row in rows)


_COLUMNS: Sequence[Column[_SourceLine]] = (
    Column("Source", lambda row: row.name),
    Column("n", _count_asked, spec=""),
    Column(
        "Failed",
        lambda row: row.scores.errors,
        spec="",
        when=lambda rows: any(row.scores.errors for row in rows),
    ),
    Column("Official", lambda row: row.measures["official"], spec=""),
    Column("Corrected", lambda row: row.measures["corrected"], spec="", when=_do_scores_differ),
    Column("Missed", lambda row: _share(row, MISSED), spec=".0f", when="known"),
    Column(
        "Cut",
        lambda row: _share(row, ["cut"]),
        spec=".0f",
        when=lambda rows: any(row.scores.parts["cut"] for row in rows),
    ),
    Column("Misread", lambda row: _share(row, ["misread"]), spec=".0f", when="known"),
)
