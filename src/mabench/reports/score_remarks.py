"""Sentences on scores: what is missing, what they cost, and how official and corrected differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mabench.data import BY_NAME
from mabench.printable import write_count, write_number
from mabench.reports.sentences import say
from mabench.results import AnswerUsage, ScoreSummary, SourceScores
from mabench.scoring import RULES

# How many digits of the hash of a judge's prompts are shown.
_DIGITS = 8
# Of how many rules it is said on how many answers they differ from the official score.
_MOST_RULES = 3
# The p below which answers are said to prefer letters. In simulations of answers without a
# preference, it was below in 1 to 2 of 1,000 sources.
_PREFERENCE_LEVEL = 0.001

NOT_THE_BENCHMARKS = (
    "The rows are not the benchmark's own: they feed no column of the paper's table."
)


def score_remarks(summary: ScoreSummary) -> Iterator[str]:
    """Yield sentences on the scores of a run or a file of predictions."""
    sources = summary.sources
    expected = sum(source.expected for source in sources.values())
    if summary.spent.n < expected:
        yield f"Unfinished: {summary.spent.n} of {write_count(expected, 'question')} so far."
    for need, why in (
        ("judge", "need a language model as judge (mabench judge RUN)"),
        ("entities", "need the entity file: rescore the run with entity2id.json"),
        ("golds", "have no golds, since nobody said which answers are right"),
    ):
        names = [name for name, source in sources.items() if source.needs == need]
        if names:
            yield f"No score yet for {', '.join(names)}: they {why}."
    yield from judged_sentences(summary)
    yield from _usage_remarks(summary.spent)
    rules = Counter[str]()
    for source in sources.values():
        rules.update(source.differences)
    if rules:
        yield _difference_sentence(rules)
    yield from letter_remarks(sources)
    yield from _unclear_remarks(sources)
    redacted = sum(source.redacted or 0 for source in sources.values())
    if redacted:
        yield say("redacted", answers=write_count(redacted, "answer"))
    own = [name for name in sources if name not in BY_NAME]
    if own:
        yield say("own_sources", names=", ".join(own))
    in_paper = any(name in BY_NAME and BY_NAME[name].column for name in sources)
    if in_paper and not summary.columns:
        yield NOT_THE_BENCHMARKS
    if summary.columns and any(not category.complete for category in summary.categories.values()):
        yield "A mean appears once every question of its columns has been asked."


def _difference_sentence(rules: Counter[str]) -> str:
    """Return on how many answers official and corrected differ, and what these answers are."""
    total = rules.total()
    common = rules.most_common(_MOST_RULES)
    if len(common) == 1:
        said = RULES.get(common[0][0], common[0][0])
        return f"Official and corrected differ on {write_count(total, 'answer')}: {said}."
    parts = [f"on {number}, {RULES.get(rule, rule)}" for rule, number in common]
    if others := total - sum(number for _, number in common):
        parts.append(f"on {others}, for other reasons")
    return f"Official and corrected differ on {total:,} answers: {'; '.join(parts)}."


def judged_sentences(summary: ScoreSummary) -> Iterator[str]:
    """Yield who judged each source, how many of its answers, and the score by these verdicts."""
    for name, source in summary.sources.items():
        for judge in source.judges:  # The table shows only the last one that finished.
            score = "unfinished"
            if judge.official is not None:
                score = f"score {write_number(judge.official, '.1f')}"
            shown = judge.as_dict() | {"prompts": judge.prompts[:_DIGITS]}
            yield say("judged", source=name, score=score, **shown)


def _unclear_remarks(sources: Mapping[str, SourceScores]) -> Iterable[str]:
    """Yield sentences on answers that no rule could decide."""
    asked = sum(source.n for source in sources.values() if source.needs != "judge")
    unclear = sum(source.unclear or 0 for source in sources.values())
    if unclear:
        yield say(
            "unclear",
            unclear=unclear,
            asked=asked,
            percent=100 * unclear / asked,
            them="it" if unclear == 1 else "them",
        )
    for name, source in sources.items():
        if source.extremes:
            low, high = (write_number(each, ".1f") for each in source.extremes)
            wrong, right = f"all {source.unclear} unclear answers are wrong", "all are right"
            if source.unclear == 1:
                wrong, right = "its unclear answer is wrong", "it is right"
            yield f"{name}: the corrected score is {low} if {wrong}, {high} if {right}."
        if source.settled and source.judge:
            settled = write_count(source.settled, "unclear answer")
            yield f"{name}: {source.judge.model} settled {settled}."


def _usage_remarks(spent: AnswerUsage) -> Iterable[str]:
    """Yield sentences on tokens and costs."""
    if spent.input_tokens is None:
        if spent.cost:
            yield f"Cost: ${spent.cost:.4f}."
        return
    dollars = "" if spent.cost is None else f", ${spent.cost:.4f}"
    yield f"Tokens: {spent.input_tokens:,} in, {spent.output_tokens or 0:,} out{dollars}."
    if spent.dropped_tokens:
        each = spent.dropped_tokens / spent.n
        yield f"{each:,.0f} tokens of the history were dropped per question on average."
    if spent.cut_off:
        yield say(
            "cut_off",
            answers=write_count(spent.cut_off, "answer"),
            asked=f"{spent.n:,}",
            them="it" if spent.cut_off == 1 else "them",
        )


def letter_remarks(sources: Mapping[str, SourceScores]) -> Iterator[str]:
    """Yield a sentence on the source whose answers most surely prefer some letters of options."""
    known = [
        (one.letters.p, name, one.letters)
        for name, one in sources.items()
        if one.letters and one.letters.p is not None and one.letters.p < _PREFERENCE_LEVEL
    ]
    if known:
        _, name, letters = min(known, key=lambda one: one[0])
        chosen, golds = (
            ", ".join(
                f"{letter} ({100 * count / letters.answers:.0f} %)" for letter, count in counts
            )
            for counts in (letters.chosen.items(), letters.golds.items())
        )
        yield say(
            "letters",
            source=name,
            answers=write_count(letters.answers, "answer"),
            chosen=chosen,
            golds=golds,
            level=_PREFERENCE_LEVEL,
        )


def leak_remarks(leaks: Mapping[str, str]) -> list[str]:
    """Return a sentence for each source whose histories give away gold answers."""
    return [say("leak", source=source, what=what) for source, what in leaks.items()]


def mark_remarks(marks: Mapping[str, str]) -> list[str]:
    """Return a sentence for each source whose histories seem to mark answers."""
    return [say("marks", source=source, what=what) for source, what in marks.items()]


def known_remarks(known: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a sentence for each known fault of a benchmark."""
    return [f"Known of {name}: {fault}." for name, faults in known.items() for fault in faults]
