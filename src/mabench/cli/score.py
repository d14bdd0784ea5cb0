"""`mabench score`: score stored answers, a run's or another tool's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import output
from mabench.errors import UsageError


def score(
    answers: Annotated[
        Path, typer.Argument(metavar="RUN_OR_PREDICTIONS", help="A run folder, or a file.")
    ],
    data: Annotated[
        str | None, typer.Option(help="The data set that was asked: as for `run`.")
    ] = None,
    entities: opt.Entities = None,
    as_json: opt.Json = False,
) -> None:
    """Score stored answers by this version's rules; exit 1 if a question has no single answer.

    A run is scored again in its folder. A file of predictions, by any tool, takes --data: JSONL
    with source, row, question_index or qa_pair_id, and prediction; or the published code's
    result file.
    """
    from mabench.reports import show, show_predictions
    from mabench.runs import rescore, score_file

    layout = "json" if as_json else "table"
    if not answers.is_file():
        show(rescore(answers, entities, data), layout, output())
        return
    if data is None:
        raise UsageError(f"{answers} is a file of predictions: give --data, what they answer")
    summary = score_file(answers, data, entities)
    show_predictions(summary, layout, output())
    if any(summary.predictions.as_dict().values()):
        raise typer.Exit(1)
