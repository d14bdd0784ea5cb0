"""What came of a run: `mabench score`, `show`, `report`, `export` and `page`."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mabench.cli import options as opt
from mabench.cli.console import messages, output, print_tables, print_written
from mabench.errors import DataError, UsageError
from mabench.specs import DataSpec, JudgeSpec
from mabench.suggestions import unknown

# The causes of wrong answers, and the parts that they are.
_CAUSES = {"missed": "missed", "misread": "misread", "form": "no_form", "failed": "failed"}


def score(
    answers: Annotated[
        list[Path],
        opt.run_argument(metavar="RUN_OR_PREDICTIONS", help="A run, or files of predictions."),
    ],
    data: Annotated[str | None, opt.option_of(JudgeSpec, "data")] = None,
    entities: Annotated[Path | None, opt.option_of(DataSpec, "entities")] = None,
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
    for path in answers:
        if path.is_dir():
            raise UsageError(f"{path} is a folder: score one run at a time, or give files alone")
    if data is None:
        raise UsageError(f"{answers[0]} is a file of predictions: give the --data that it answers")
    summary = score_files(answers, data, entities, answered_only=answered_only, out=out)
    show_predictions(summary, layout, output())
    if any(summary.predictions.as_dict().values()):
        raise typer.Exit(1)


def show(
    run: Annotated[
        Path, opt.run_argument(metavar="RUN", help="A run: folder, number or part of the name.")
    ],
    data: Annotated[str | None, opt.option_of(JudgeSpec, "data")] = None,
    source: Annotated[list[str] | None, opt.option_of(DataSpec, "source")] = None,
    row: Annotated[list[int] | None, opt.option_of(DataSpec, "row")] = None,
    question: Annotated[
        int | None, opt.data(metavar="N", help="The question with this number in its row, in full.")
    ] = None,
    wrong: Annotated[bool, opt.data("--wrong", help="Only wrong answers.")] = False,
    why: Annotated[
        str | None,
        opt.data(
            metavar="CAUSE",
            help="Only answers that were missed, misread, of no form asked for, or failed.",
            autocompletion=opt.complete(*_CAUSES),
        ),
    ] = None,
    flipped_from: Annotated[
        Path | None, opt.run_option(metavar="RUN", help="Only answers with another score in RUN.")
    ] = None,
    layout: opt.Format = "table",
) -> None:
    """Show how answers came to be: golds, scores, passages, the prompt, judges, time and tokens.

    With --question each question is shown in full; else the wrong ones are listed by their causes,
    a line each, or those that --flipped-from says.
    """
    from mabench.inspection import AnswerFilter, Selection, question_views, select_questions
    from mabench.reports.question import question_table, show_question_list, show_questions
    from mabench.results import Run

    if wrong and flipped_from is not None:
        raise UsageError("--wrong and --flipped-from exclude each other; give one")
    if why is not None and why not in _CAUSES:
        raise UsageError(f"--why: {unknown('no such cause:', why, _CAUSES)}")
    choice, are = AnswerFilter.WRONG, why or "wrong"
    if flipped_from is not None:
        choice, are = AnswerFilter.FLIPPED, "flipped"
    elif question is not None and not wrong:
        choice, are = AnswerFilter.ALL, why or "there"
    other = Run(flipped_from) if flipped_from is not None else None
    if other is not None:
        _ = other.record  # Else a folder that is no run would only look like one without answers.
    opened = Run(run)
    sources, rows = tuple(source or ()) or None, tuple(row or ()) or None
    part = _CAUSES[why] if why else None
    selection = Selection(sources, rows, question, choice, part, other)
    questions = list(select_questions(opened, selection))
    others = None if other is None else {one.sample.key: one for one in other.questions()}
    if layout == "table" and question is not None:
        show_questions(list(question_views(opened, questions, data)), output())
    elif layout == "table":
        show_question_list(questions, output(), others, opened.record.data.titles)
    else:
        views = question_views(opened, questions, data) if layout == "json" else ()
        table = question_table(questions, others)
        print_tables([table], [view.as_dict() for view in views], layout)
    command = f"mabench show {shlex.quote(str(run))}"
    if not questions:
        messages().print(f"No such answers: none is {are}.")
    elif question is None and layout == "table":
        first = questions[0].sample
        place = f"--source {shlex.quote(first.source)} --row {first.row}"
        messages().print(f"To open one: {command} {place} --question {first.question_index}")
    everything = select_questions(opened, replace(selection, choice=AnswerFilter.ALL, part=None))
    if unjudged := sum(not one.is_judged for one in everything):
        answers = "1 answer is" if unjudged == 1 else f"{unjudged} answers are"
        messages().print(f"{answers} not judged yet: mabench judge {shlex.quote(str(run))}")


def report(
    runs: Annotated[
        list[Path],
        opt.run_argument(metavar="RUN", help="A run, or the folder of a sweep or a race."),
    ],
    verified: Annotated[
        Path | None,
        opt.data(metavar="FILE", help="An audit: also score the questions it finds no fault with."),
    ] = None,
    beside: Annotated[
        str | None,
        opt.result(
            metavar="SYSTEM",
            help="Add the figures of a published system, such as BM25, or the best of each column.",
        ),
    ] = None,
    layout: opt.Format = "table",
) -> None:
    """Print the tables of a run, or of a sweep, from what its folder holds."""
    from mabench.race import open_race
    from mabench.reports import show, show_race, show_sweep
    from mabench.results import Run
    from mabench.runs import open_sweep

    if len(runs) == 1 and (standing := open_race(runs[0])):
        show_race(standing, layout, output())
        return
    if len(runs) == 1 and (points := open_sweep(runs[0])):
        show_sweep(points, layout, output())
        return
    if len(runs) > 1:
        command = shlex.join(["mabench", "compare", *map(str, runs)])
        raise UsageError(f"a report is of one run; to compare these: {command}")
    show(Run(runs[0]), layout, output(), verified, beside)


def export(
    runs: Annotated[
        list[Path], opt.run_argument(metavar="RUN", help="A run; csv and parquet take several.")
    ],
    to: Annotated[
        str,
        opt.result(
            metavar="FORMAT",
            help="inspect, every-eval-ever, csv or parquet.",
            autocompletion=opt.complete("inspect", "every-eval-ever", "csv", "parquet"),
        ),
    ],
    out: Annotated[
        Path, opt.result(metavar="PATH", help="A new file; for inspect a new or an empty folder.")
    ],
) -> None:
    """Write runs for another tool: Inspect's viewer, Every Eval Ever, a spreadsheet, pandas."""
    from mabench.export import export as export_run
    from mabench.results import Run

    done = [Run(folder) for folder in runs]
    export_run(done, to, out)
    for run in done:
        answered, expected = run.summary.spent.n, sum(run.record.questions.values())
        if answered < expected:
            messages().print(f"{run.folder}: unfinished, {answered} of {expected} questions so far")
    print_written(out)


def page(
    runs: Annotated[
        list[Path],
        opt.run_argument(
            metavar="RUN",
            help="A run, several to compare, a sweep's or race's folder, or reports of stress.",
        ),
    ],
    out: Annotated[
        Path | None,
        opt.result(metavar="FILE.html", help="The file to write; default: named after the run."),
    ] = None,
) -> None:
    """Write one HTML file with scores, charts and every question; it needs no server or network.

    Several runs are compared on the same questions, as by mabench compare; their page is runs.html.
    Reports that mabench stress wrote stand side by side.
    """
    from mabench.page import comparison_page, race_page, run_page, stress_page, sweep_page
    from mabench.race import open_race
    from mabench.results import Run
    from mabench.runs import open_sweep
    from mabench.stress_tests import read_report

    out = out or Path(
        f"{runs[0].resolve().name.removesuffix('.json') if len(runs) == 1 else 'runs'}.html"
    )
    if all(run.is_file() for run in runs):
        write_page(out, stress_page([read_report(file) for file in runs]))
        return
    if len(runs) == 1 and (standing := open_race(runs[0])):
        write_page(out, race_page(standing))
        return
    if len(runs) == 1 and (points := open_sweep(runs[0])):
        write_page(out, sweep_page(points))
        return
    opened = [Run(folder) for folder in runs]
    write_page(out, run_page(opened[0]) if len(opened) == 1 else comparison_page(opened))


def write_page(file: Path, content: str | bytes) -> None:
    """Write a page or a plot, and say where it is; raises ``DataError`` when it cannot be."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    except OSError as error:
        raise DataError(f"{file}: it cannot be written: {error.strerror}") from error
    messages().print(f"written: {file} ({file.stat().st_size / 1e6:.2f} MB)")
