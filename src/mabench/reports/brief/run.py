"""The short report of a run: its score, where points were lost, what it cannot tell, one table.

It never says more than the full report: what is not known is left out or said to be unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mabench.printable import write_count, write_number
from mabench.reports.brief.remarks import first_remarks, shared_title
from mabench.reports.report import Report
from mabench.reports.score_remarks import NOT_THE_BENCHMARKS
from mabench.reports.tables import Column, Table, Value, retitle, tabulate, titles_of
from mabench.results import MISSED, PARTS, Measure, RunSummary, ScoreSummary, SourceScores

# With fewer questions, nothing is said about where points are lost.
_FEWEST_QUESTIONS = 20


class _ScoreLine(NamedTuple):
    """A source in the table."""

    name: str
    scores: SourceScores
    measures: Mapping[str, Measure | None]


def brief_run_report(
    summary: RunSummary, remarks: Sequence[str], own: Collection[str] = ()
) -> Report:
    """Return the short report of a run.

    ``remarks`` are those of the full report, the most important first; the first few are kept.
    ``own`` are the sources of a user's own conversations or documents, whose evidence comes first.
    """
    made_up = titles_of([summary])
    # The headline says it already.
    kept = first_remarks([remark for remark in remarks if remark != NOT_THE_BENCHMARKS])
    shared, titles = shared_title(made_up)
    first = [*_evidence_sentences(summary, own), *headlines(summary, shared)]
    return retitle(Report(first=first, tables=[_table(summary)], remarks=kept), titles)


def _evidence_sentences(summary: ScoreSummary, own: Collection[str]) -> Iterator[str]:
    """Yield what was retrieved of the evidence for one's own questions, and what became of them."""
    for name in own:
        one = summary.sources[name]
        if one.evidence_recall is None:
            continue
        counts = [
            f"{count} {PARTS[part].head.lower()}" for part, count in one.parts.items() if count
        ]
        yield (
            f"{summary.agent} retrieved {one.evidence_recall:.0f} % of what the answers to "
            f"{write_count(one.n, 'question')} of {name} rest on: {', '.join(counts)}."
        )


def headlines(summary: ScoreSummary, shared: str) -> Iterator[str]:
    """Yield the sentences that say what came out; ``shared`` is what all sources are."""
    yield f"{_score_sentence(summary, shared)}{_loss_words(summary)}."
    if unknown := _unknown_sentence(summary):
        yield unknown


def _score_sentence(summary: ScoreSummary, shared: str) -> str:
    """Return the score with its interval, and what it is of."""
    scored = [name for name, one in summary.sources.items() if one.official is not None]
    data = f"{summary.data} ({shared})" if shared else summary.data
    if summary.sources and all(one.needs == "golds" for one in summary.sources.values()):
        return f"{summary.agent} on {data} is not scored: nobody said which answers are right"
    if not scored or summary.headline is None:
        return f"{summary.agent} on {data} has no score yet"
    asked = sum(summary.sources[name].n for name in scored)
    if summary.overall is not None:
        score, what = Measure.of(summary.overall, summary.overall_interval), "the overall score"
    elif len(scored) == 1:
        score, what = summary.sources[scored[0]].measures["official"], scored[0]
    else:
        score = Measure.of(summary.headline, summary.mean_interval)
        what = f"the mean of {write_count(len(scored), 'source')}"
    of = f"{what}, {write_count(asked, 'question')}"
    return f"{summary.agent} scores {score} ({of}) on {data}"


class LossShares(NamedTuple):
    """Of 100 questions, how many were missed by the memory and misread by the reader."""

    missed: float
    misread: float

    def words(self, *, explained: bool = False) -> str:
        """Return both in words, with what they mean if ``explained``."""
        missed, misread = (write_number(share, ".0f") for share in self)
        if not explained:
            return f"{missed} and {misread}"
        return (
            f"of 100 questions {missed} are missed (not retrieved) and {misread} misread "
            "(retrieved, and answered wrong)"
        )


def sources_with_causes(summary: ScoreSummary) -> set[str]:
    """Return the sources with known retrieval, and so with known causes of lost points."""
    return {name for name, one in summary.sources.items() if is_cause_known(one)}


def loss_shares(summary: ScoreSummary, names: Collection[str]) -> LossShares | None:
    """Return where points were lost on some ``sources_with_causes``; None of few questions."""
    known = [summary.sources[name] for name in names]
    total = sum(one.n for one in known)
    if total < _FEWEST_QUESTIONS:
        return None
    return LossShares(
        missed=100 * sum(one.missed for one in known) / total,
        misread=100 * sum(one.parts["misread"] for one in known) / total,
    )


def _loss_words(summary: ScoreSummary) -> str:
    """Return where points were lost, as a part of a sentence; nothing where too little is known."""
    lost = loss_shares(summary, sources_with_causes(summary))
    return f"; {lost.words(explained=True)}" if lost else ""


def _unknown_sentence(summary: ScoreSummary) -> str | None:
    """Return what the score cannot tell."""
    waiting = [name for name, one in summary.sources.items() if one.needs == "judge"]
    unclear = sum(one.unclear or 0 for one in summary.sources.values())
    measures = [one.measures["official"] for one in summary.sources.values()]
    few = [measure for measure in measures if measure and measure.these and not measure.new]
    parts = []
    if waiting:
        parts.append(f"{write_count(len(waiting), 'source')} without a judge's verdicts")
    if unclear:
        parts.append(write_count(unclear, "unclear answer"))
    if few:
        parts.append(f"new histories of {write_count(len(few), 'source')}, which have too few (†)")
    if not parts:
        return None
    return f"It cannot tell: {'; '.join(parts)}."


def _table(summary: ScoreSummary) -> Table:
    """Return one line for each source; what all sources share is in the headline."""
    sources = summary.sources.items()
    return tabulate(_COLUMNS, [_ScoreLine(name, one, one.measures) for name, one in sources])


def _differs(rows: Sequence[_ScoreLine]) -> bool:
    return any(len({*row.measures.values()}) > 1 for row in rows)


def _share(row: _ScoreLine, parts: Iterable[str]) -> Value:
    """Return how many of 100 questions have one of some outcomes; None if it is not known."""
    if not is_cause_known(row.scores):
        return None
    return 100 * sum(row.scores.parts[part] for part in parts) / row.scores.n


def is_cause_known(scores: SourceScores) -> bool:
    """Whether it is known what was retrieved for the questions of a source."""
    is_told = any(count and PARTS[part].tells for part, count in scores.parts.items())
    return scores.retrieval is not None and is_told


def _count(row: _ScoreLine) -> Value:
    n, expected = row.scores.n, row.scores.expected
    return n if n == expected else f"{n} of {expected}"


_COLUMNS: Sequence[Column[_ScoreLine]] = (
    Column("Source", lambda row: row.name),
    Column("n", _count, ""),
    Column(
        "Failed",
        lambda row: row.scores.errors,
        "",
        when=lambda rows: any(row.scores.errors for row in rows),
    ),
    Column("Official", lambda row: row.measures["official"], ""),
    Column("Corrected", lambda row: row.measures["corrected"], "", when=_differs),
    Column("Missed", lambda row: _share(row, MISSED), ".0f", when="known"),
    Column(
        "Cut",
        lambda row: _share(row, ["cut"]),
        ".0f",
        when=lambda rows: any(row.scores.parts["cut"] for row in rows),
    ),
    Column("Misread", lambda row: _share(row, ["misread"]), ".0f", when="known"),
)
