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
from mabench.errors import DataError, UsageError, unknown
from mabench.outfile import check_writable
from mabench.printable import write_count

if TYPE_CHECKING:
    from mabench.races import Race
    from mabench.results import Run, ScoreChange, ScoredQuestion
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
    full: bool = False,
    layout: str = "table",
) -> None:
    """Score a run again, or score result files."""
    from mabench.formats import FormatKind, refuse_other_kinds
    from mabench.reports.result_files import show_result_files
    from mabench.reports.run_report import ReportOptions, show
    from mabench.results import rescore, score_files

    first = answers[0]
    is_run = not first.is_file() and not first.suffix.startswith(".json")
    if len(answers) == 1 and is_run:
        if out is not None or answered_only or file_layout is not None:
            given = "--out, --answered-only and --layout"
            raise UsageError(f"{given} are for result files, not for runs")
        if first.is_dir() and not (first / "run.json").exists():
            refuse_other_kinds(first, FormatKind.RESULTS)
        rescored = rescore(first, entities, data, _print_changes)
        show(rescored, layout, con.output(), options=ReportOptions(full=full))
        if layout == "table":
            print_next_of_run(first)
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
    mark: str | None = None,
    note: str = "",
    withdraw: bool = False,
    full: bool = False,
    layout: str = "table",
) -> None:
    """Print questions of a run: a list, or one with everything known about its answer."""
    from mabench.inspection import CAUSES, Selection, describe, look_up, title_golds
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
    if mark is None and (note or withdraw):
        raise UsageError("--note and --withdraw belong to a mark: add --mark gold-wrong")
    if mark is not None:
        _mark_question(opened, questions, mark, note, withdraw=withdraw)
        return
    others = None if other is None else {one.key: one for one in other.questions()}
    shown = title_golds(opened, questions, data) if layout != "json" else questions
    if layout == "table" and question is not None:
        show_questions(list(look_up(opened, shown, data)), con.output(), full=full)
    elif layout == "table":
        show_question_list(shown, con.output(), others, opened.record.data.titles)
    else:
        content = []
        if layout == "json":
            content = [describe(one) for one in look_up(opened, questions, data)]
        con.print_tables([question_table(shown, others)], content, layout)
    if not questions:
        con.messages().print(selection.describe_nothing())
    elif question is None and layout == "table":
        first = questions[0].sample
        place = ["--source", first.source, "--row", first.row, "--question", first.question_index]
        con.messages().print(f"To open one: {con.command_line('show', run, *place)}")
    elif layout == "table" and not full:
        con.print_next(con.again("--full"), con.command_line("show", run))
    unjudged = selection.count_unjudged(opened)
    if unjudged:
        answers = "1 answer is" if unjudged == 1 else f"{unjudged} answers are"
        con.messages().print(f"{answers} not judged yet: {con.command_line('judge', run)}")


def _mark_question(
    run: Run, questions: Sequence[ScoredQuestion], kind: str, note: str, *, withdraw: bool
) -> None:
    """Store what a person says of one question; refuse several."""
    from mabench.results import Mark, MarkKind

    chosen = opt.read_choice(MarkKind, kind, "--mark")
    if len(questions) != 1 or chosen is None:
        found = write_count(len(questions), "question")
        raise UsageError(f"a mark is of one question, and these are {found}; add --source, --row")
    sample = questions[0].sample
    try:
        mark = Mark.of(sample, chosen, note, withdrawn=withdraw)
    except ValueError as error:
        raise UsageError(f"--note: {error}") from error
    run.store.append_mark(mark)
    done = "no longer marked" if withdraw else "marked"
    place = f"{sample.source}, row {sample.row}, question {sample.question_index}"
    con.print_line(f"{place} is {done} as {chosen.value}; no score counts marks.")


@opt.command("report")
def _report(
    runs: list[Path],
    verified: Path | None = None,
    beside: str | None = None,
    drafts: bool = False,
    marks: bool = False,
    full: bool = False,
    layout: str = "table",
) -> None:
    """Print the report of a run, a sweep or a race."""
    from mabench.reports.experiments.race import show_race
    from mabench.reports.experiments.sweep import show_sweep
    from mabench.reports.run_report import ReportOptions, show
    from mabench.results import Run

    whole = open_whole(runs)
    if len(runs) > 1:
        command = con.command_line("compare", *runs)
        raise UsageError(f"a report is of one run; to compare these: {command}")
    if whole is None:
        options = ReportOptions(full=full, drafts=drafts, marks=marks)
        show(Run(runs[0]), layout, con.output(), verified, beside, options=options)
    elif isinstance(whole, list):
        show_sweep(whole, layout, con.output(), full=full)
    else:
        show_race(whole, layout, con.output(), full=full)
    if layout == "table" and not full:
        if whole is None:
            print_next_of_run(runs[0])
        else:
            full_report = con.command_line("report", runs[0], "--full")
            con.print_next(full_report, con.command_line("page", runs[0]))


def print_next_of_run(folder: Path) -> None:
    """Print the commands that go on from the report of a run."""
    con.print_next(con.command_line("show", folder), con.command_line("page", folder))


def open_whole(runs: Sequence[Path]) -> Race | list[SweepPoint] | None:
    """Return the race, or the points of the sweep, in a folder; None for runs."""
    from mabench.races import open_race
    from mabench.runs import SweepPoint

    if len(runs) != 1:
        return None
    return open_race(runs[0]) or SweepPoint.read_all(runs[0]) or None


@opt.command("export")
def _export(runs: list[Path], to: str, out: Path, quiet: bool = False) -> None:
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
    con.print_written(out, quiet)


@opt.command("page")
def _page(
    runs: list[Path], title: str | None = None, out: Path | None = None, quiet: bool = False
) -> None:
    """Write runs, a sweep, a race or stress reports as an HTML page."""
    from mabench.page.pages import comparison_page, stress_page, whole_page
    from mabench.page.run_pages import run_page
    from mabench.results import Run, refuse_repeated_paths
    from mabench.runs.folders.names import name_folder
    from mabench.stressing import read_report

    refuse_repeated_paths(runs)
    if len(runs) == 1 and _holds_several_runs(runs[0]):
        _write_index(runs[0], title, out)
        return
    # Links are not resolved: the page is named as the user names the run.
    folder = Path(os.path.abspath(runs[0]))  # noqa: PTH100 - `absolute` keeps "..".
    name = folder.name.removesuffix(".json") if len(runs) == 1 else "runs"
    page = out or Path(f"{name}.html")
    check_writable(page)
    if all(run.is_file() for run in runs):
        content = stress_page([read_report(file) for file in runs], title)
    elif whole := open_whole(runs):
        content = whole_page(whole, title)
    else:
        opened = [Run(folder) for folder in runs]
        # The page of the data, where `mabench data page` puts it, if it lies beside this one.
        data_page = f"{name_folder([opened[0].record.data.name])}.html"
        beside = page.with_name(data_page)
        link = quote(data_page) if beside.is_file() and beside != page else None
        if len(opened) == 1:
            content = run_page(opened[0], title, link)
        else:
            content = comparison_page(opened, title, link)
    con.write_page(page, content, quiet)


def _holds_several_runs(place: Path) -> bool:
    """Return whether a folder has runs beneath it, and is none itself, nor a sweep or a race."""
    from mabench.results import Run, list_runs

    if not place.is_dir() or Run(place).store.exists() or open_whole([place]):
        return False
    return bool(list_runs(place))


def _write_index(place: Path, title: str | None, out: Path | None) -> None:
    """Write the page of a folder of runs, and the page of each run beside it.

    What cannot be shown is listed without a page, and named.
    """
    from mabench.page.index_pages import index_page
    from mabench.page.run_pages import run_page
    from mabench.results import Run, list_runs

    index = out or place / "index.html"
    check_writable(index)
    listed, pages = list_runs(place), dict[str, str]()
    for run in listed:
        folder = Path(run.folder)
        name = "-".join(folder.relative_to(place).parts) + ".html"
        try:
            content = run_page(Run(folder)) if run.asked else None
        except DataError as error:
            con.messages().print(f"{folder}: no page: {error}")
            continue
        if content is not None and name != index.name:
            con.write_page(index.with_name(name), content)
            pages[run.folder] = quote(name, errors="surrogatepass")
    con.write_page(index, index_page(listed, place, pages, title))


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
