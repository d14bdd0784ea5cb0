"""`mabench score`: score stored answers, a run's or another tool's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli.console import output
from mabench.errors import UsageError


def score(
    answers: Annotated[
        Path, typer.Argument(metavar="RUN_OR_PREDICTIONS", help="A run folder, or a file.")
    ],
    data: Annotated[
        str | None, typer.Option(help="The data set that was asked: as for `run`.")
    ] = None,
    entities: Annotated[
        Path | None, typer.Option(help="entity2id.json, to score recommendations.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score stored answers by this version's rules; exit 1 if a question has no single answer.

    A run is scored again in its folder. A file of predictions, by any tool, takes --data: JSONL
    with source, row, question_index or qa_pair_id, and prediction; or the published code's
    result file.
    """
    from mabench.reports import mismatch_remarks, show, show_summary
    from mabench.runs import rescore, score_file

    if not answers.is_file():
        show(rescore(answers, entities, data), "json" if as_json else "table", output())
        return
    if data is None:
        raise UsageError(f"{answers} is a file of predictions: give --data, what they answer")
    summary = score_file(answers, data, entities)
    if as_json:
        print(json.dumps(summary.as_dict(), indent=2, ensure_ascii=False))
    else:
        show_summary(summary, output(), mismatch_remarks(summary.predictions))
    if any(summary.predictions.as_dict().values()):
        raise typer.Exit(1)
