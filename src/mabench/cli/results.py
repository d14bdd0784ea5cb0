"""Commands about stored results: `score`, `show`, `report`, `export`, `page` and `cache`.

They score runs again, print or write what runs came to, and look at cached replies of models.

The parameters of a command are its options, which ``commands.toml`` describes. ``layout`` is the
format of what is printed: "table" on a terminal, else a format of files.
"""

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
    from mabench.inspection import Selection
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

    place = answers[0]
    # What does not exist is taken for a run, unless its name is that of a result file.
    is_run = not place.is_file() and not place.suffix.startswith(".json")
    if len(answers) == 1 and is_run:
        if out is not None or answered_only or file_layout is not None:
            raise UsageError(
                "--out, --answered-only and --layout are for result files, not for runs"
            )
        if place.is_dir() and not (place / "run.json").exists():
            # It may be a folder of files of a kind that another command reads.
            refuse_other_kinds(place, FormatKind.RESULTS)
        rescored = rescore(place, entities, data, _print_changes)
        show(rescored, layout, con.output(), options=ReportOptions(full=full))
        if layout == "table":
            print_next_of_run(place)
        return
    for path in answers:
        if path.is_dir():
            raise UsageError(f"{path} is a folder: score one run at a time, or give files alone")
    summaries = score_files(
        answers, data, entities, answered_only=answered_only, out=out, layout=file_layout
    )
    show_result_files(summaries, layout, con.output())
    for summary in summaries:
        # Lists of what did not fit, such as of questions without a prediction.
        mismatches = summary.predictions.as_dict()
        if any(mismatches.values()):
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
    from mabench.inspection import CAUSES, Selection
    from mabench.results import Run

    if wrong and flipped_from is not None:
        raise UsageError("--wrong and --flipped-from exclude each other; give one")
    if why is not None and why not in CAUSES:
        raise UsageError(f"--why: {unknown('no such cause:', why, CAUSES)}")
    opened = Run(run)
    other_run = None if flipped_from is None else _open_other_run(run, flipped_from)
    # A list without --flipped-from is of wrong answers; one question may have any answer.
    wrong_only = other_run is None and (wrong or question is None)
    selection = Selection(
        sources=tuple(source) if source else None,
        rows=tuple(row) if row else None,
        question=question,
        wrong=wrong_only,
        cause=why,
        other=other_run,
    )
    questions = list(selection.select(opened))
    if mark is None and (note or withdraw):
        raise UsageError("--note and --withdraw belong to a mark: add --mark gold-wrong")
    if mark is not None:
        _mark_question(opened, questions, mark, note, withdraw=withdraw)
        return
    _print_questions(opened, questions, selection, data, layout, full=full)
    if not questions:
        con.messages().print(selection.describe_nothing())
    elif layout == "table":
        _print_next_of_questions(run, questions[0], is_list=question is None, full=full)
    unjudged = selection.count_unjudged(opened)
    if unjudged:
        answers = "1 answer is" if unjudged == 1 else f"{unjudged} answers are"
        con.messages().print(f"{answers} not judged yet: {con.command_line('judge', run)}")


def _print_next_of_questions(
    folder: Path, first: ScoredQuestion, *, is_list: bool, full: bool
) -> None:
    """Print the command that opens the first question of a list, or goes on from a single one."""
    if is_list:
        sample = first.sample
        place = ("--source", sample.source, "--row", sample.row)
        line = con.command_line("show", folder, *place, "--question", sample.question_index)
        con.messages().print(f"To open one: {line}")
    elif not full:
        con.print_next(con.again("--full"), con.command_line("show", folder))


def _open_other_run(folder: Path, other_folder: Path) -> Run:
    """Return the run that ``--flipped-from`` names; refuse the same run, and no run at all."""
    from mabench.results import Run, refuse_repeated_paths

    refuse_repeated_paths([folder, other_folder])
    other_run = Run(other_folder)
    _ = other_run.record  # Raises if the folder holds no run.
    return other_run


def _print_questions(
    run: Run,
    questions: Sequence[ScoredQuestion],
    selection: Selection,
    data: str | None,
    layout: str,
    *,
    full: bool,
) -> None:
    """Print the questions that ``selection`` found in a run: one in full, or a list of several.

    ``data`` is the data set of the run, if it is no longer where the run recorded it.
    """
    from mabench.inspection import describe, look_up, title_golds
    from mabench.reports.question import question_table, show_question_list, show_questions

    others = None
    if selection.other is not None:
        others = {question.key: question for question in selection.other.questions()}
    if layout == "json":
        content = [describe(question) for question in look_up(run, questions, data)]
        con.print_tables([question_table(questions, others)], content, layout)
        return
    titled = title_golds(run, questions, data)
    if layout != "table":
        con.print_tables([question_table(titled, others)], [], layout)
    elif selection.question is not None:
        show_questions(list(look_up(run, titled, data)), con.output(), full=full)
    else:
        show_question_list(titled, run, con.output(), selection.describe(), others)


def _mark_question(
    run: Run, questions: Sequence[ScoredQuestion], kind: str, note: str, *, withdraw: bool
) -> None:
    """Store a person's mark of one question, or that it is withdrawn; refuse several questions.

    ``kind`` is what the mark says, such as gold-wrong.
    """
    from mabench.results import Mark, MarkKind

    mark_kind = opt.read_choice(MarkKind, kind, "--mark")
    if len(questions) != 1 or mark_kind is None:
        count = write_count(len(questions), "question")
        raise UsageError(f"a mark is of one question, and these are {count}; add --source, --row")
    sample = questions[0].sample
    try:
        mark = Mark.of(sample, mark_kind, note, withdrawn=withdraw)
    except ValueError as error:
        raise UsageError(f"--note: {error}") from error
    run.store.append_mark(mark)
    done = "no longer marked" if withdraw else "marked"
    place = f"{sample.source}, row {sample.row}, question {sample.question_index}"
    con.print_line(f"{place} is {done} as {mark_kind.value}; no score counts marks.")


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

    if len(runs) > 1:
        command = con.command_line("compare", *runs)
        raise UsageError(f"a report is of one run; to compare these: {command}")
    folder = runs[0]
    experiment = open_experiment(runs)
    if experiment is None:
        options = ReportOptions(full=full, drafts=drafts, marks=marks)
        show(Run(folder), layout, con.output(), verified, beside, options=options)
    elif isinstance(experiment, list):
        show_sweep(experiment, layout, con.output(), full=full)
    else:
        show_race(experiment, layout, con.output(), full=full)
    if layout == "table" and not full:
        if experiment is None:
            print_next_of_run(folder)
        else:
            full_report = con.command_line("report", folder, "--full")
            con.print_next(full_report, con.command_line("page", folder))


def print_next_of_run(folder: Path) -> None:
    """Print the commands that go on from the report of a run."""
    con.print_next(con.command_line("show", folder), con.command_line("page", folder))


def open_experiment(folders: Sequence[Path]) -> Race | list[SweepPoint] | None:
    """Return the race, or all points of the sweep, that lies in the one folder.

    Return None for the folder of a single run, and for several folders, which are those of runs.
    """
    from mabench.races import open_race
    from mabench.runs import SweepPoint

    if len(folders) != 1:
        return None
    race = open_race(folders[0])
    if race is not None:
        return race
    return SweepPoint.read_all(folders[0]) or None


@opt.command("export")
def _export(runs: list[Path], to: str, out: Path, quiet: bool = False) -> None:
    """Write runs in the format of another tool."""
    from mabench.export import export as export_run
    from mabench.results import Run

    opened = [Run(folder) for folder in runs]
    export_run(opened, to, out)
    for run in opened:
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
    from mabench.page.pages import stress_page, whole_page
    from mabench.results import refuse_repeated_paths
    from mabench.stressing import read_report

    refuse_repeated_paths(runs)
    if len(runs) == 1 and _holds_several_runs(runs[0]):
        _write_index(runs[0], title, out)
        return
    page = out or _default_page(runs)
    check_writable(page)
    if all(run.is_file() for run in runs):  # They are reports of stress tests.
        content = stress_page([read_report(file) for file in runs], title)
    else:
        experiment = open_experiment(runs)
        if experiment is not None:
            content = whole_page(experiment, title)
        else:
            content = _page_of_runs(runs, page, title)
    con.write_page(page, content, quiet)


def _default_page(runs: Sequence[Path]) -> Path:
    """Return the file for a page without ``--out``: in the current folder, named after the run."""
    if len(runs) > 1:
        return Path("runs.html")
    # Links are not resolved: the page is named as the user names the run.
    place = Path(os.path.abspath(runs[0]))  # noqa: PTH100 - `absolute` keeps "..".
    return Path(f"{place.name.removesuffix('.json')}.html")


def _page_of_runs(folders: Sequence[Path], page: Path, title: str | None) -> str:
    """Return the content of the page of one run, or of several that are compared.

    It links to the page of the data, if that is where `mabench data page` puts it: in the folder of
    ``page``, the file to be written.
    """
    from mabench.page.pages import comparison_page
    from mabench.page.run_pages import run_page
    from mabench.results import Run
    from mabench.runs.folders.names import name_folder

    runs = [Run(folder) for folder in folders]
    data_page = page.with_name(f"{name_folder([runs[0].record.data.name])}.html")
    link = quote(data_page.name) if data_page.is_file() and data_page != page else None
    if len(runs) == 1:
        return run_page(runs[0], title, link)
    return comparison_page(runs, title, link)


def _holds_several_runs(place: Path) -> bool:
    """Return whether runs lie under a folder that is itself no run, no sweep and no race."""
    from mabench.results import Run, list_runs

    if not place.is_dir() or Run(place).store.exists() or open_experiment([place]) is not None:
        return False
    return bool(list_runs(place))


def _write_index(place: Path, title: str | None, out: Path | None) -> None:
    """Write the page that lists the runs of a folder, and beside it the page of each run.

    A run without answers is listed without a page; so is one that cannot be read, after a message.
    """
    from mabench.page.index_pages import index_page
    from mabench.page.run_pages import run_page
    from mabench.results import Run, list_runs

    index = out or place / "index.html"
    check_writable(index)
    listed_runs = list_runs(place)
    links: dict[str, str] = {}  # From the folder of a run to the address of its page.
    for run in listed_runs:
        folder = Path(run.folder)
        page = index.with_name("-".join(folder.relative_to(place).parts) + ".html")
        if not run.asked:
            continue
        try:
            content = run_page(Run(folder))
        except DataError as error:
            con.messages().print(f"{folder}: no page: {error}")
            continue
        if page != index:  # A run in a folder named index would overwrite the list.
            con.write_page(page, content)
            links[run.folder] = quote(page.name, errors="surrogatepass")
    con.write_page(index, index_page(listed_runs, place, links, title))


@opt.command("cache show")
def _show_cache(folder: Path | None = None) -> None:
    """Print the size of the cache."""
    from mabench.models import ResponseCache

    # Only mabench's own folder may be created here, not one that the user names.
    cache = ResponseCache(folder, reads_only=folder is not None)
    contents = cache.contents()
    con.print_line(
        f"{cache.path}: {write_count(contents.replies, 'reply')}, {contents.bytes / 1e6:,.1f} MB"
    )


@opt.command("cache clear")
def _clear_cache(folder: Path | None = None) -> None:
    """Delete all cached replies."""
    from mabench.models import ResponseCache

    # Counted first: this raises if the user names a folder that does not exist or is no cache.
    replies = ResponseCache(folder, reads_only=folder is not None).contents().replies
    cache = ResponseCache(folder)  # Only now, because this creates the folder.
    cache.clear()
    con.print_line(f"{cache.path}: {write_count(replies, 'reply')} forgotten")
