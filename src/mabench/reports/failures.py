"""Sentences on how many answers or verdicts failed, and why. They come before all scores."""

from __future__ import annotations

from mabench.printable import write_count
from mabench.reports.sentences import say
from mabench.results import ScoreSummary

# Characters of an error that fit into a sentence.
_LONGEST_ERROR = 300


def failure_remarks(summary: ScoreSummary) -> list[str]:
    """Return a sentence on failed answers, and one for each judge that gave no verdict on some.

    Each names the most common error. The list is empty if nothing failed.
    """
    sentences = []
    if summary.commonest_error:
        sentences.append(_answers_sentence(summary, summary.commonest_error))
    for name, source in summary.sources.items():
        for judge in source.judges:
            if judge.commonest_error:
                sentence = say(
                    "judge_failed",
                    source=name,
                    model=judge.model,
                    failed=judge.failed,
                    answers=write_count(judge.of, "answer"),
                    error=_shorten(judge.commonest_error),
                )
                sentences.append(sentence)
    return sentences


def _answers_sentence(summary: ScoreSummary, commonest_error: str) -> str:
    """Return how many answers failed, and why most of them did."""
    error = _shorten(commonest_error)
    failed, asked = summary.spent.errors, summary.spent.n
    if failed == asked:
        all_answers = "The only answer" if failed == 1 else f"All {failed:,} answers"
        return say("all_failed", answers=all_answers, agent=summary.agent, error=error)
    return say("some_failed", failed=failed, answers=write_count(asked, "answer"), error=error)


def _shorten(error: str) -> str:
    """Return an error as the end of a sentence: on one line, and without its full stop."""
    one_line = " ".join(error.split())
    if len(one_line) > _LONGEST_ERROR:
        return f"{one_line[:_LONGEST_ERROR]}..."
    return one_line if one_line.endswith("...") else one_line.rstrip(".")
