"""What a reader of a report must know beside its tables, one sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from mabench.data import BY_NAME
from mabench.families import family_of
from mabench.injection import UNMARKED
from mabench.lookup import capabilities_of
from mabench.results import AnswerUsage, Mismatches, Run, ScoreSummary, SourceScores

# How many of the predictions that do not fit are named, of each kind.
_NAMED = 10


def score_remarks(summary: ScoreSummary) -> list[str]:
    """Return what the scores take or lack, what they cost, and how the two kinds differ."""
    sources = summary.sources
    remarks = []
    expected = sum(source.expected for source in sources.values())
    if summary.spent.n < expected:
        remarks.append(f"Unfinished: {summary.spent.n} of {expected} questions so far.")
    remarks += _needs(sources, "judge", "take a language model's verdict: mabench judge RUN")
    remarks += _needs(
        sources, "entities", "take the entity file: score the run again with entity2id.json"
    )
    remarks += [remark for name, source in sources.items() for remark in _judges(name, source)]
    remarks += [
        f"Evidence was retrieved for {source.evidence_recall:.1f} % of the questions of {name}."
        for name, source in sources.items()
        if source.evidence_recall is not None and source.evidence is None
    ]
    remarks += _spent(summary.spent)
    rules: Counter[str] = Counter()
    for source in sources.values():
        rules.update(source.differences)
    if rules:
        counts = ", ".join(f"{rule} {number}" for rule, number in sorted(rules.items()))
        remarks.append(f"Official and corrected differ on {rules.total()} samples: {counts}.")
    remarks += _unclear(sources)
    if redacted := sum(source.redacted or 0 for source in sources.values()):
        remarks.append(
            f"Secrets were taken out of {redacted} answer{'s' * (redacted != 1)} before storing. "
            "The scores are of the whole answers, and scoring again keeps them; a judge reads "
            "what is stored."
        )
    if own := [name for name in sources if name not in BY_NAME]:
        remarks.append(
            f"Sources of your own or of other benchmarks: {', '.join(own)}. They feed no column "
            "and no mean of the paper; Official is the metric that the table names."
        )
    if not summary.columns and any(name in BY_NAME and BY_NAME[name].column for name in sources):
        remarks.append(
            "The rows are not the benchmark's own: they feed no column of the paper's table."
        )
    partial = any(not category.complete for category in summary.categories.values())
    if partial and summary.columns:
        remarks.append("Means are printed only over complete columns; partial ones show coverage.")
    return remarks


def leak_remarks(leaks: Mapping[str, str]) -> list[str]:
    """Return a line for each source whose contexts tell agents about the golds."""
    return [
        f"A leak of the benchmark: in the histories of {source}, {what}. Agents see this under the "
        f"protocols paper and repository; paper{UNMARKED} and repository{UNMARKED} take it out."
        for source, what in leaks.items()
    ]


def _needs(sources: Mapping[str, SourceScores], what: str, why: str) -> Iterable[str]:
    names = [name for name, source in sources.items() if source.needs == what]
    return [f"No score yet for {', '.join(names)}: they {why}."] if names else []


def _unclear(sources: Mapping[str, SourceScores]) -> Iterable[str]:
    """Say of how many answers the corrected score cannot tell, and who settled others."""
    asked = sum(source.n for source in sources.values() if source.needs != "judge")
    unclear = sum(source.unclear or 0 for source in sources.values())
    if unclear:
        yield (
            f"{100 * unclear / asked:.1f} % of the answers ({unclear}) are unclear: no rule of the "
            "corrected score tells, so the official verdict counts. mabench judge can settle just "
            "these."
        )
    for name, source in sources.items():
        if source.settled and source.judge:
            yield f"{name}: {source.judge.model} settled {source.settled} unclear answers."


def _judges(name: str, source: SourceScores) -> Iterable[str]:
    """Say who judged, and how far; of several judges the last complete one stands in the table."""
    for judge in source.judges:
        verdicts = f"{judge.judged} verdicts and {judge.failed} failures on {judge.of} answers"
        score = "unfinished" if judge.official is None else f"score {judge.official:.1f}"
        yield f"{name} judged by {judge.model}, prompts {judge.prompts[:8]}: {verdicts}, {score}."


def _spent(spent: AnswerUsage) -> Iterable[str]:
    """Say what a model took, where one was asked."""
    if spent.input_tokens is None:
        if spent.cost:
            yield f"Cost: ${spent.cost:.4f}."
        return
    dollars = "" if spent.cost is None else f", ${spent.cost:.4f}"
    yield f"Tokens: {spent.input_tokens:,} in, {spent.output_tokens or 0:,} out{dollars}."
    if spent.dropped_tokens:
        each = spent.dropped_tokens / spent.n
        yield f"{each:,.0f} tokens of the history were dropped per question, in the mean."


def gold_remarks(run: Run) -> list[str]:
    """Return a line for each question on which an agent that is handed the gold falls short.

    That is a defect of ours, or of the data. Other agents have no such lines.
    """
    if not capabilities_of(run.record.agent).takes_gold:
        return []
    who, sources = run.record.agent.capitalize(), run.record.all_sources
    shortfalls = []
    for sample, value, *_ in run.questions():
        if value is not None and value < 1:
            metric = family_of(sample.source, sources).metric
            shortfalls.append(
                f"{who} short of 100: {sample.source}, row {sample.row}, question "
                f"{sample.question_index}: {metric} {value:.3f} with prediction "
                f"{sample.prediction!r} for {sample.answers!r}"
            )
    return shortfalls


def mismatch_remarks(mismatches: Mismatches) -> Iterator[str]:
    """Yield how many predictions are unknown, missing or repeated, and the first of each."""
    for what, places in (
        ("unknown: they answer no question of the data set, or more than one", mismatches.unknown),
        ("missing: they have no prediction, and are wrong", mismatches.missing),
        ("duplicate: they repeat a question; the first counts", mismatches.duplicate),
    ):
        if places:
            yield f"{len(places)} {what}."
            yield from (f"  {place}" for place in places[:_NAMED])
        if len(places) > _NAMED:
            yield f"  and {len(places) - _NAMED} more, which the JSON form lists."
