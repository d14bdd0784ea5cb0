"""Sentences on how many answers or verdicts failed, and why. They come before all scores."""

from __future__ import annotations

from mabench.printable import write_count
from mabench.reports.sentences import say
from mabench.results import ScoreSummary

# Characters of an error that fit into a sentence.
_LONGEST_ERROR = 300


def failure_remarks(summary: ScoreSummary) -> list[str]:
    """Return a sentence for each kind of failure, with its most common error."""
    sentences, failed = list[str](), summary.spent.errors
    if summary.commonest_error:
        error = _shorten(summary.commonest_error)
        if failed == summary.spent.n:
            answers = "The only answer" if failed == 1 else f"All {failed:,} answers"
            said = say("all_failed", answers=answers, agent=summary.agent, error=error)
        else:
            answers = write_count(summary.spent.n, "answer")
            said = say("some_failed", failed=failed, answers=answers, error=error)
        sentences.append(said)
    for name, source in summary.sources.items():
        for judge in source.judges:
            if judge.commonest_error:
                sentences.append(
                    say(
                        "judge_failed",
                        source=name,
                        model=judge.model,
                        failed=judge.failed,
                        answers=write_count(judge.of, "answer"),
                        error=_shorten(judge.commonest_error),
                    )
                )
    return sentences


def _shorten(error: str) -> str:
    """Return an error as the end of a sentence, without a full stop."""
    text = " ".join(error.split())
    if len(text) > _LONGEST_ERROR:
        text = f"{text[:_LONGEST_ERROR]}..."
    return text if text.endswith("...") else text.rstrip(".")
