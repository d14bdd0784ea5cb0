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
        list[Path],
        typer.Argument(
            metavar="RUN_OR_PREDICTIONS...", help="A run folder, or files of predictions."
        ),
    ],
    data: opt.RunData = None,
    entities: opt.Entities = None,
    answered_only: Annotated[
        bool, opt.data("--answered-only", help="Score only the questions that the files answer.")
    ] = False,
    out: Annotated[
        Path | None,
        opt.result(
            metavar="FOLDER", help="Also store the files' answers as a run.", file_okay=False
        ),
    ] = None,
    layout: opt.Format = "table",
) -> None:
    """Score stored answers by this version's rules; exit 1 if a question has no single answer.

    A run is scored again in its folder. Files of predictions, made by any tool, need --data. They
    are JSONL with source, row, question_index or qa_pair_id, and prediction, or the published
    code's result files, one per source. With --out they become a run, for judge and report.
    """
    from mabench.reports import show, show_predictions
    from mabench.results import rescore, score_files

    if len(answers) == 1 and not answers[0].is_file():
        if out is not None or answered_only:
            raise UsageError("--out and --answered-only are for files of predictions, not for runs")
        show(rescore(answers[0], entities, data), layout, output())
        return
    for one in answers:
        if one.is_dir():
            raise UsageError(f"{one} is a folder: score one run at a time, or give files alone")
    if data is None:
        raise UsageError(f"{answers[0]} is a file of predictions: give the --data that it answers")
    summary = score_files(answers, data, entities, answered_only=answered_only, out=out)
    show_predictions(summary, layout, output())
    if any(summary.predictions.as_dict().values()):
        raise typer.Exit(1)
