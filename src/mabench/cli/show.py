"""`mabench show`: one question of a run, and why its answer is what it is."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import messages, output, print_json, print_tables
from mabench.errors import UsageError

_WORDS = {"wrong": "wrong", "errors": "failed", "flipped": "flipped", "all": "there"}


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    data: opt.RunData = None,
    source: opt.Sources = None,
    row: opt.Rows = None,
    question: Annotated[
        int | None,
        opt.data(metavar="N", help="The question with this number in its row, in full."),
    ] = None,
    wrong: Annotated[bool, opt.data("--wrong", help="Only wrong answers.")] = False,
    errors: Annotated[bool, opt.data("--errors", help="Only failed answers.")] = False,
    flipped_from: Annotated[
        Path | None, opt.data(metavar="RUN", help="Only answers with another score in RUN.")
    ] = None,
    layout: opt.Format = "table",
) -> None:
    """Show how answers came to be: golds, scores, passages, the prompt, judges, time and tokens.

    With --question each question is shown in full; else questions are listed, a line each: the
    wrong ones, unless --errors or --flipped-from says which.
    """
    from mabench.inspection import AnswerFilter, Selection, question_views, select_questions
    from mabench.reports import question_table, show_question_list, show_questions
    from mabench.results import NOT_JUDGED, Run

    if sum([wrong, errors, flipped_from is not None]) > 1:
        raise UsageError("--wrong, --errors and --flipped-from exclude each other; give one")
    choice = AnswerFilter.ERRORS if errors else AnswerFilter.WRONG
    if flipped_from is not None:
        choice = AnswerFilter.FLIPPED
    elif question is not None and not (wrong or errors):
        choice = AnswerFilter.ALL
    other = Run(flipped_from) if flipped_from is not None else None
    if other is not None:
        _ = other.record  # Else a folder that is no run would only look like one without answers.
    opened = Run(run)
    sources, rows = tuple(source or ()) or None, tuple(row or ()) or None
    selection = Selection(sources, rows, question, choice, other)
    questions = list(select_questions(opened, selection))
    if layout == "json":
        print_json([view.as_dict() for view in question_views(opened, questions, data)])
    elif layout == "table" and question is not None:
        show_questions(list(question_views(opened, questions, data)), output())
    elif layout == "table":
        show_question_list(questions, output())
    else:
        print_tables([question_table(questions)], None, layout)
    notes = [] if questions else [f"No such answers: none is {_WORDS[choice]}."]
    everything = select_questions(opened, replace(selection, choice=AnswerFilter.ALL))
    if unjudged := sum(one.verdict == NOT_JUDGED for one in everything):
        are = "1 answer is" if unjudged == 1 else f"{unjudged} answers are"
        notes.append(f"{are} not judged yet: mabench judge {shlex.quote(str(run))}")
    if notes:
        messages().print(" ".join(notes))
