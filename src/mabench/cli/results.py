"""Commands about stored results: `score`, `show`, `report`, `export`, `page`, `cache`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import typer

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.errors import UsageError, unknown
from mabench.outfile import check_writable
from mabench.printable import write_count

if TYPE_CHECKING:
    from mabench.races import Race
    from mabench.results import ScoreChange
    from mabench.runs import SweepPoint

# How many changed scores are listed after rescoring.
_MOST_CHANGES = 50


@opt.command("score")
def _score(
    answers: list[Path],
    data: str | None = None,
    entities: Path | None = None,
    answered_only: bool = False,
    out: Path | None = None,
    file_layout: str | None = None,
    layout: str = "table",
) -> None:
    """Score a run again, or score result files."""
    from mabench.formats import FormatKind, refuse_other_kinds
    from mabench.reports.result_files import show_result_files
    from mabench.reports.run_report import show
    from mabench.results import rescore, score_files

    first = answers[0]
    is_run = not first.is_file() and not first.suffix.startswith(".json")
    if len(answers) == 1 and is_run:
        if out is not None or answered_only or file_layout is not None:
            given = "--out, --answered-only and --layout"
            raise UsageError(f"{given} are for result files, not for runs")
        if first.is_dir() and not (first / "run.json").exists():
            refuse_other_kinds(first, FormatKind.RESULTS)
        show(rescore(first, entities, data, _print_changes), layout, con.output())
        return
    for path in answers:
        if path.is_dir():
            raise UsageError(f"{path} is a folder: score one run at a time, or give files alone")
    summaries = score_files(
        answers, data, entities, answered_only=answered_only, out=out, layout=file_layout
    )
    show_result_files(summaries, layout, con.output())
    if any(any(summary.predictions.as_dict().values()) for summary in summaries):
        raise typer.Exit(1)


def _print_changes(changes: Sequence[ScoreChange]) -> None:
    """Print how many scores changed, and list the first of them."""
    if not changes:
        con.messages().print("No score changed.")
        return
    count = write_count(len(changes), "score")
    con.messages().print(f"{count} changed (from 0 to 100, old -> new):")
    for change in changes[:_MOST_CHANGES]:
        con.messages().print(f"  {change}")
    if len(changes) > _MOST_CHANGES:
        con.messages().print(f"  and {len(changes) - _MOST_CHANGES} more")


@opt.command("show")
def _show(
    run: Path,
    data: str | None = None,
    source: list[str] | None = None,
    row: list[int] | None = None,
    question: int | None = None,
    wrong: bool = False,
    why: str | None = None,
    flipped_from: Path | None = None,
    layout: str = "table",
) -> None:
    """Print questions of a run: a list, or one with everything known about its answer."""
    from mabench.inspection import CAUSES, Selection, describe, look_up
    from mabench.reports.question import question_table, show_question_list, show_questions
    from mabench.results import Run, refuse_repeated_paths

    if wrong and flipped_from is not None:
        raise UsageError("--wrong and --flipped-from exclude each other; give one")
    if why is not None and why not in CAUSES:
        raise UsageError(f"--why: {unknown('no such cause:', why, CAUSES)}")
    if flipped_from is not None:
        refuse_repeated_paths([run, flipped_from])
    opened, other = Run(run), None
    if flipped_from is not None:
        other = Run(flipped_from)
        _ = other.record  # Raises if the folder holds no run.
    selection = Selection(
        sources=tuple(source or ()) or None,
        rows=tuple(row or ()) or None,
        question=question,
        wrong=other is None and (wrong or question is None),
        cause=why,
        other=other,
    )
    questions = list(selection.select(opened))
    others = None if other is None else {one.key: one for one in other.questions()}
    if layout == "table" and question is not None:
        show_questions(list(look_up(opened, questions, data)), con.output())
    elif layout == "table":
        show_question_list(questions, con.output(), others, opened.record.data.titles)
    else:
        content = []
        if layout == "json":
            content = [describe(one) for one in look_up(opened, questions, data)]
        con.print_tables([question_table(questions, others)], content, layout)
    if not questions:
        con.messages().print(selection.describe_nothing())
    elif question is None and layout == "table":
        first = questions[0].sample
        place = ["--source", first.source, "--row", first.row, "--question", first.question_index]
        con.messages().print(f"To open one: {con.command_line('show', run, *place)}")
    unjudged = selection.count_unjudged(opened)
    if unjudged:
        answers = "1 answer is" if unjudged == 1 else f"{unjudged} answers are"
        con.messages().print(f"{answers} not judged yet: {con.command_line('judge', run)}")


@opt.command("report")
def _report(
    runs: list[Path],
    verified: Path | None = None,
    beside: str | None = None,
    full: bool = False,
    layout: str = "table",
) -> None:
    """Print the report of a run, a sweep or a race."""
    from mabench.reports.experiments.race import show_race
    from mabench.reports.experiments.sweep import show_sweep
    from mabench.reports.run_report import show
    from mabench.results import Run

    whole = open_whole(runs)
    if len(runs) > 1:
        command = con.command_line("compare", *runs)
        raise UsageError(f"a report is of one run; to compare these: {command}")
    if whole is None:
        show(Run(runs[0]), layout, con.output(), verified, beside, full=full)
    elif isinstance(whole, list):
        show_sweep(whole, layout, con.output())
    else:
        show_race(whole, layout, con.output())


def open_whole(runs: Sequence[Path]) -> Race | list[SweepPoint] | None:
    """Return the race, or the points of the sweep, in a folder; None for runs."""
    from mabench.races import open_race
    from mabench.runs import SweepPoint

    if len(runs) != 1:
        return None
    return open_race(runs[0]) or SweepPoint.read_all(runs[0]) or None


@opt.command("export")
def _export(runs: list[Path], to: str, out: Path) -> None:
    """Write runs in the format of another tool."""
    from mabench.export import export as export_run
    from mabench.results import Run

    done = [Run(folder) for folder in runs]
    export_run(done, to, out)
    for run in done:
        answered, expected = run.summary.spent.n, sum(run.record.questions.values())
        if answered < expected:
            so_far = f"{answered} of {write_count(expected, 'question')} so far"
            con.messages().print(f"{run.folder}: unfinished, {so_far}")
    con.print_written(out)


@opt.command("page")
def _page(runs: list[Path], title: str | None = None, out: Path | None = None) -> None:
    """Write runs, a sweep, a race or stress reports as an HTML page."""
    from mabench.page.pages import comparison_page, stress_page, whole_page
    from mabench.page.run_pages import run_page
    from mabench.results import Run, refuse_repeated_paths
    from mabench.runs.folders.names import name_folder
    from mabench.stressing import read_report

    refuse_repeated_paths(runs)
    # Links are not resolved: the page is named as the user names the run.
    folder = Path(os.path.abspath(runs[0]))  # noqa: PTH100 - `absolute` keeps "..".
    name = folder.name.removesuffix(".json") if len(runs) == 1 else "runs"
    check_writable(out or Path(f"{name}.html"))
    if all(run.is_file() for run in runs):
        content = stress_page([read_report(file) for file in runs], title)
    elif whole := open_whole(runs):
        content = whole_page(whole, title)
    else:
        opened = [Run(folder) for folder in runs]
        # The page of the data, where `mabench data page` puts it, if it lies beside this one.
        data_page = f"{name_folder([opened[0].record.data.name])}.html"
        page = out or Path(f"{name}.html")
        beside = page.with_name(data_page)
        link = quote(data_page) if beside.is_file() and beside != page else None
        if len(opened) == 1:
            content = run_page(opened[0], title, link)
        else:
            content = comparison_page(opened, title, link)
    con.write_page(out or Path(f"{name}.html"), content)


@opt.command("cache show")
def _show_cache(folder: Path | None = None) -> None:
    """Print the size of the cache."""
    from mabench.models import ResponseCache

    # Reading only, so that a folder that the user names is not created.
    cache = ResponseCache(folder, reads_only=folder is not None)
    contents = cache.contents()
    con.print_line(
        f"{cache.path}: {write_count(contents.replies, 'reply')}, {contents.bytes / 1e6:,.1f} MB"
    )


@opt.command("cache clear")
def _clear_cache(folder: Path | None = None) -> None:
    """Delete all cached replies."""
    from mabench.models import ResponseCache

    replies = ResponseCache(folder, reads_only=folder is not None).contents().replies
    cache = ResponseCache(folder)  # Only now: this creates a folder that does not exist.
    cache.clear()
    con.print_line(f"{cache.path}: {write_count(replies, 'reply')} forgotten")
