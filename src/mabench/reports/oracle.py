"""Where an agent that is handed the gold falls short: a defect of ours, or of the data."""

from __future__ import annotations

from mabench.families import family_of
from mabench.runs import Run, Sample


def shortfalls(run: Run) -> list[str]:
    """Return a line for each question on which the oracle did not score 100 official."""
    if run.summary["agent"] != "oracle":
        return []
    return [_line(sample) for sample in run.samples() if _short(sample)]


def _short(sample: Sample) -> bool:
    value = sample.official.get(family_of(sample.source).metric)
    return value is not None and value < 1


def _line(sample: Sample) -> str:
    metric = family_of(sample.source).metric
    return (
        f"Oracle short of 100: {sample.source}, row {sample.row}, question "
        f"{sample.question_index}: {metric} {float(sample.official[metric]):.3f} with prediction "
        f"{sample.prediction!r} for {sample.answers!r}"
    )
