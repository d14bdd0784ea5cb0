"""What a reader of a report must know beside its tables, one sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mabench.data import BY_NAME
from mabench.injection import UNMARKED
from mabench.reports.tables import THESE, Measure, Table
from mabench.results import AnswerUsage, ScoreSummary, SourceScores
from mabench.uncertainty import MIN_HISTORIES


def interval_remarks(tables: Sequence[Table]) -> list[str]:
    """Return what the intervals in tables mean; nothing where there are none."""
    values = [value for table in tables for row in table.values for value in row]
    measures = [value for value in values if isinstance(value, Measure)]
    remarks = []
    if any(measure.new for measure in measures):
        remarks.append(
            "± is half the 95 % interval for new histories like these; in means over sources, "
            f"those with fewer than {MIN_HISTORIES} histories are taken as given."
        )
    if any(measure.these and not measure.new for measure in measures):
        remarks.append(
            f"±{THESE} is half the 95 % interval for other questions about these histories; "
            "nothing can be said about new ones."
        )
    if remarks and any(f"{measure}".find("[") > 0 for measure in measures):
        remarks[-1] += " Near 0 and 100 the interval itself stands in brackets."
    return remarks


def score_remarks(summary: ScoreSummary) -> Iterator[str]:
    """Yield what the scores take or lack, what they cost, and how the two kinds differ."""
    sources = summary.sources
    expected = sum(source.expected for source in sources.values())
    if summary.spent.n < expected:
        yield f"Unfinished: {summary.spent.n} of {expected} questions so far."
    for need, why in (
        ("judge", "take a language model's verdict: mabench judge RUN"),
        ("entities", "take the entity file: score the run again with entity2id.json"),
    ):
        if names := [name for name, source in sources.items() if source.needs == need]:
            yield f"No score yet for {', '.join(names)}: they {why}."
    for name, source in sources.items():
        for judge in source.judges:  # The last one to be through stands in the table.
            verdicts = f"{judge.judged} verdicts and {judge.failed} failures on {judge.of} answers"
            score = "unfinished" if judge.official is None else f"score {judge.official:.1f}"
            prompts = judge.prompts[:8]
            yield f"{name} judged by {judge.model}, prompts {prompts}: {verdicts}, {score}."
    yield from _spent(summary.spent)
    rules: Counter[str] = Counter()
    for source in sources.values():
        rules.update(source.differences)
    if rules:
        counts = ", ".join(f"{rule} {number}" for rule, number in sorted(rules.items()))
        yield f"Official and corrected differ on {rules.total()} samples: {counts}."
    yield from _unclear(sources)
    if redacted := sum(source.redacted or 0 for source in sources.values()):
        yield (
            f"Secrets were taken out of {redacted} answer{'s' * (redacted != 1)} before storing. "
            "The scores are of the whole answers, and scoring again keeps them; a judge reads "
            "what is stored."
        )
    if own := [name for name in sources if name not in BY_NAME]:
        yield (
            f"Sources of your own or of other benchmarks: {', '.join(own)}. They feed no column "
            "and no mean of the paper; Official is the metric that the table names."
        )
    if not summary.columns and any(name in BY_NAME and BY_NAME[name].column for name in sources):
        yield "The rows are not the benchmark's own: they feed no column of the paper's table."
    if summary.columns and any(not category.complete for category in summary.categories.values()):
        yield "Means are printed only over complete columns; partial ones show coverage."


def _unclear(sources: Mapping[str, SourceScores]) -> Iterable[str]:
    asked = sum(source.n for source in sources.values() if source.needs != "judge")
    unclear = sum(source.unclear or 0 for source in sources.values())
    if unclear:
        yield (
            f"{100 * unclear / asked:.1f} % of the answers ({unclear}) are unclear: no rule of the "
            "corrected score tells, so the official verdict counts. mabench judge can settle just "
            "these."
        )
    for name, source in sources.items():
        if source.extremes:
            low, high = source.extremes
            yield (
                f"{name}: the corrected score is {low:.1f} if all {source.unclear} unclear answers "
                f"are wrong, {high:.1f} if all are right."
            )
        if source.settled and source.judge:
            yield f"{name}: {source.judge.model} settled {source.settled} unclear answers."


def _spent(spent: AnswerUsage) -> Iterable[str]:
    if spent.input_tokens is None:
        if spent.cost:
            yield f"Cost: ${spent.cost:.4f}."
        return
    dollars = "" if spent.cost is None else f", ${spent.cost:.4f}"
    yield f"Tokens: {spent.input_tokens:,} in, {spent.output_tokens or 0:,} out{dollars}."
    if spent.dropped_tokens:
        each = spent.dropped_tokens / spent.n
        yield f"{each:,.0f} tokens of the history were dropped per question, in the mean."


def leak_remarks(leaks: Mapping[str, str]) -> list[str]:
    """Return a line for each source whose contexts tell agents about the golds."""
    return [
        f"A leak of the benchmark: in the histories of {source}, {what}. Agents see this under the "
        f"protocols paper and repository; paper{UNMARKED} and repository{UNMARKED} take it out."
        for source, what in leaks.items()
    ]
