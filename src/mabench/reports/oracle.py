"""Where an agent that is handed the gold falls short: a defect of ours, or of the data."""

from __future__ import annotations

from mabench.runs import Run, Sample


def shortfalls(run: Run) -> list[str]:
    """Return a line for each question on which the oracle did not score 100 official."""
    if run.summary["agent"] != "oracle":
        return []
    metrics = {name: source["metric"] for name, source in run.summary["sources"].items()}
    return [
        _line(sample, metrics[sample.source])
        for sample in run.samples()
        if sample.official.get(metrics[sample.source], 1) < 1
    ]


def _line(sample: Sample, metric: str) -> str:
    return (
        f"Oracle short of 100: {sample.source}, row {sample.row}, question "
        f"{sample.question_index}: {metric} {float(sample.official[metric]):.3f} with prediction "
        f"{sample.prediction!r} for {sample.answers!r}"
    )
