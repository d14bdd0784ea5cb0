"""`mabench show`: one question of a run, and why its answer is what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import messages, output, print_json
from mabench.errors import UsageError

_WORDS = {"wrong": "wrong", "errors": "failed", "flipped": "flipped", "all": "there"}


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    source: Annotated[str | None, typer.Option(help="Questions of this source alone.")] = None,
    row: Annotated[int | None, typer.Option(help="Of the row of this index.")] = None,
    question: Annotated[
        int | None, typer.Option(help="The question of this index in its row, in full.")
    ] = None,
    wrong: Annotated[bool, typer.Option("--wrong", help="Wrong answers alone.")] = False,
    errors: Annotated[bool, typer.Option("--errors", help="Failed answers alone.")] = False,
    flipped_from: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Answers that RUN has another score of.")
    ] = None,
    data: Annotated[str | None, typer.Option(help="The run's data set, if it has moved.")] = None,
    as_json: opt.Json = False,
) -> None:
    """Show how answers came to be: golds, scores, passages, the prompt, judges, time and tokens.

    With --question each question is shown in full; else questions are listed, a line each: the
    wrong ones, unless --errors or --flipped-from says which.
    """
    from mabench.inspection import Choice, Selection, chosen, official_score, question_views
    from mabench.reports import show_question_list, show_questions
    from mabench.runs import Run

    if sum([wrong, errors, flipped_from is not None]) > 1:
        raise UsageError("--wrong, --errors and --flipped-from exclude each other; give one")
    choice = Choice.ERRORS if errors else Choice.WRONG
    if flipped_from is not None:
        choice = Choice.FLIPPED
    elif question is not None and not (wrong or errors):
        choice = Choice.ALL
    other = Run(flipped_from) if flipped_from is not None else None
    opened = Run(run)
    samples = list(chosen(opened, Selection(source, row, question, choice, other)))
    if as_json:
        print_json([view.as_dict() for view in question_views(opened, samples, data)])
    elif question is not None:
        show_questions(list(question_views(opened, samples, data)), output())
    else:
        scores = [official_score(opened, sample) for sample in samples]
        show_question_list(samples, scores, output())
    if not samples:
        messages().print(f"No such answers: none is {_WORDS[choice]}.")
