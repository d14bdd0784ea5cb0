"""Sentences on scores: what is missing, what they cost, and how official and corrected differ.

The official score is by the rules of the paper, the corrected one by rules that read answers more
carefully.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from mabench.data import BY_NAME
from mabench.printable import write_count, write_number
from mabench.reports.sentences import say
from mabench.results import AnswerUsage, ScoreSummary, SourceScores
from mabench.scoring import RULES

# How many digits of the hash of a judge's prompts are shown.
_DIGITS = 8
# How many rules of the corrected score the sentence on differences names.
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
    yield from _unscored_remarks(summary)
    yield from judged_sentences(summary)
    yield from _usage_remarks(summary.spent)
    differences = Counter[str]()  # How many answers each rule scores otherwise than the paper.
    for source in sources.values():
        differences.update(source.differences)
    if differences:
        yield _difference_sentence(differences)
    yield from letter_remarks(sources)
    yield from _unclear_remarks(sources)
    redacted = sum(source.redacted or 0 for source in sources.values())
    if redacted:
        yield say("redacted", answers=write_count(redacted, "answer"))
    yield from _paper_remarks(summary)


def _unscored_remarks(summary: ScoreSummary) -> Iterator[str]:
    """Yield how many questions are open, and which sources have no score yet, and why."""
    sources = summary.sources
    expected = sum(source.expected for source in sources.values())
    if summary.spent.n < expected:
        yield f"Unfinished: {summary.spent.n} of {write_count(expected, 'question')} so far."
    for need, reason in (
        ("judge", "need a language model as judge (mabench judge RUN)"),
        ("entities", "need the entity file: rescore the run with entity2id.json"),
        ("golds", "have no golds, since nobody said which answers are right"),
    ):
        names = [name for name, source in sources.items() if source.needs == need]
        if names:
            yield f"No score yet for {', '.join(names)}: they {reason}."


def _paper_remarks(summary: ScoreSummary) -> Iterator[str]:
    """Yield which sources feed no column of the paper's table, and why means may be missing."""
    own = [name for name in summary.sources if name not in BY_NAME]
    if own:
        yield say("own_sources", names=", ".join(own))
    are_columns_named = any(
        name in BY_NAME and BY_NAME[name].column is not None for name in summary.sources
    )
    if are_columns_named and not summary.columns:
        yield NOT_THE_BENCHMARKS
    categories = summary.categories.values()
    if summary.columns and not all(category.complete for category in categories):
        yield "A mean appears once every question of its columns has been asked."


def _difference_sentence(differences: Counter[str]) -> str:
    """Return on how many answers official and corrected differ, and what these answers are.

    ``differences`` has the number of these answers by the rule of the corrected score.
    """
    total = differences.total()
    if len(differences) == 1:
        [rule] = differences
        answers = write_count(total, "answer")
        return f"Official and corrected differ on {answers}: {RULES.get(rule, rule)}."
    commonest = differences.most_common(_MOST_RULES)
    reasons = [f"on {number}, {RULES.get(rule, rule)}" for rule, number in commonest]
    others = total - sum(number for _, number in commonest)
    if others:
        reasons.append(f"on {others}, for other reasons")
    return f"Official and corrected differ on {total:,} answers: {'; '.join(reasons)}."


def judged_sentences(summary: ScoreSummary) -> Iterator[str]:
    """Yield who judged each source, how many of its answers, and the score by these verdicts.

    There is a sentence for each judge; the table has only the last one that finished.
    """
    for name, source in summary.sources.items():
        for judge in source.judges:
            if judge.official is None:
                score = "unfinished"
            else:
                score = f"score {write_number(judge.official, '.1f')}"
            yield say(
                "judged",
                source=name,
                model=judge.model,
                prompts=judge.prompts[:_DIGITS],
                judged=judge.judged,
                failed=judge.failed,
                of=judge.of,
                score=score,
            )


def _unclear_remarks(sources: Mapping[str, SourceScores]) -> Iterator[str]:
    """Yield sentences on answers that no rule of the corrected score could decide."""
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
            yield _extremes_sentence(name, source.extremes, source.unclear)
        if source.settled and source.judge:
            settled = write_count(source.settled, "unclear answer")
            yield f"{name}: {source.judge.model} settled {settled}."


def _extremes_sentence(name: str, extremes: tuple[float, float], unclear: int | None) -> str:
    """Return the corrected scores of a source with its unclear answers all wrong, and all right."""
    low, high = (write_number(score, ".1f") for score in extremes)
    if unclear == 1:
        wrong, right = "its unclear answer is wrong", "it is right"
    else:
        wrong, right = f"all {unclear} unclear answers are wrong", "all are right"
    return f"{name}: the corrected score is {low} if {wrong}, {high} if {right}."


def _usage_remarks(spent: AnswerUsage) -> Iterator[str]:
    """Yield sentences on tokens and costs, as far as they are known."""
    if spent.input_tokens is None:
        if spent.cost:
            yield f"Cost: ${spent.cost:.4f}."
        return
    dollars = "" if spent.cost is None else f", ${spent.cost:.4f}"
    yield f"Tokens: {spent.input_tokens:,} in, {spent.output_tokens or 0:,} out{dollars}."
    if spent.dropped_tokens:
        tokens_a_question = spent.dropped_tokens / spent.n
        dropped = f"{tokens_a_question:,.0f} tokens of the history"
        yield f"{dropped} were dropped per question on average."
    if spent.cut_off:
        yield say(
            "cut_off",
            answers=write_count(spent.cut_off, "answer"),
            asked=f"{spent.n:,}",
            them="it" if spent.cut_off == 1 else "them",
        )


def letter_remarks(sources: Mapping[str, SourceScores]) -> Iterator[str]:
    """Yield a sentence on the source whose answers most surely prefer some letters of options.

    Nothing is yielded if no preference is surer than chance allows.
    """
    if not sources:
        return
    surest = min(sources, key=lambda name: _p_of_letters(sources[name]))
    letters = sources[surest].letters
    if letters is None or _p_of_letters(sources[surest]) >= _PREFERENCE_LEVEL:
        return
    yield say(
        "letters",
        source=surest,
        answers=write_count(letters.answers, "answer"),
        chosen=_letter_shares(letters.chosen, letters.answers),
        golds=_letter_shares(letters.golds, letters.answers),
        level=_PREFERENCE_LEVEL,
    )


def _p_of_letters(source: SourceScores) -> float:
    """Return how likely answers prefer letters as much by chance; 1 if nothing can tell."""
    if source.letters is None or source.letters.p is None:
        return 1.0
    return source.letters.p


def _letter_shares(counts: Mapping[str, int], answers: int) -> str:
    """Return letters with their shares of some answers, such as ``A (60 %), B (40 %)``."""
    return ", ".join(
        f"{letter} ({100 * count / answers:.0f} %)" for letter, count in counts.items()
    )


def leak_remarks(leaks: Mapping[str, str]) -> list[str]:
    """Return a sentence for each source whose histories give golds away; ``leaks`` says how."""
    return [say("leak", source=source, what=what) for source, what in leaks.items()]


def mark_remarks(marks: Mapping[str, str]) -> list[str]:
    """Return a sentence for each source whose histories seem to mark golds; ``marks`` says how."""
    return [say("marks", source=source, what=what) for source, what in marks.items()]


def known_remarks(known: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a sentence for each known fault of a benchmark; ``known`` has them by its name."""
    return [f"Known of {name}: {fault}." for name, faults in known.items() for fault in faults]
