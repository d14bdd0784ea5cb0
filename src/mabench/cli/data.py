"""Commands about data sets: `mabench data`, `sources`, `audit` and `generate`.

They check, show, import, export and make up data, and look for doubtful gold answers in it.

The parameters of a command are its options, which ``commands.toml`` describes. ``layout`` is the
format of what is printed: "table" on a terminal, else a format of files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import mabench
from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.errors import UsageError
from mabench.outfile import check_writable
from mabench.printable import write_count
from mabench.specs import InjectionSpec

if TYPE_CHECKING:
    from mabench.data import Dataset
    from mabench.data.chats import ImportOptions
    from mabench.injection import RowChunks


@opt.command("data validate")
def _validate(
    path: str, complete: bool = False, offline: bool = False, layout: str = "table"
) -> None:
    """Print the problems of a data set; exit with 1 if any is an error."""
    from mabench.loading import validate as find_problems
    from mabench.reports.own_data.problems import problem_lines, problems_table

    problems = find_problems(path, complete=complete, offline=offline)
    if layout == "table":
        for line in problem_lines(problems):
            con.print_line(line)
    else:
        content = [problem.as_dict() for problem in problems]
        con.print_tables([problems_table(problems)], content, layout)
    errors = sum(problem.severity == "error" for problem in problems)
    con.messages().print(f"errors: {errors}, warnings: {len(problems) - errors}")
    if errors:
        raise typer.Exit(1)


@opt.command("data init")
def _init(folder: Path, like: str = "documents", quiet: bool = False) -> None:
    """Write an example data set."""
    from mabench.data.writing.example import write_example

    write_example(folder, like)
    if quiet:
        con.print_written(folder, quiet)
    else:
        _print_data_written(folder)


@opt.command("data import")
def _import(
    benchmark: str,
    paths: list[Path],
    *,
    out: Path,
    history_by: str | None = None,
    session_gap: str | None = None,
    timezone: str | None = None,
    columns: list[str] | None = None,
    date_order: str | None = None,
    encoding: str | None = None,
    file_layout: str | None = None,
    rename: bool = False,
    list_skipped: bool = False,
    quiet: bool = False,
) -> None:
    """Convert exports of chats, or a published benchmark, into a data set."""
    if benchmark != "chats":
        of_chats = (history_by, session_gap, timezone, columns, date_order, encoding, file_layout)
        if rename or list_skipped or any(value is not None for value in of_chats):
            raise UsageError(
                f"only --out and --quiet are for {benchmark}; the others are for chats"
            )
        if len(paths) > 1:
            raise UsageError(f"{benchmark} is one file or folder; give one path")
        _import_published(benchmark, paths[0], out, quiet)
        return

    from mabench.data.chats import ImportOptions
    from mabench.data.chats.importing import DEFAULT_GAP
    from mabench.formats import DateOrder, HistoryUnit, ReadingOptions

    # Each word of --columns may hold several pairs, as in text=Body,time=Sent.
    column_pairs = ",".join(columns).split(",") if columns else []
    reading = ReadingOptions(
        columns=opt.read_pairs(column_pairs, "--columns", "field=column"),
        date_order=opt.read_choice(DateOrder, date_order, "--date-order"),
        encoding=encoding,
    )
    options = ImportOptions(
        layout=file_layout,
        history_by=opt.read_choice(HistoryUnit, history_by, "--history-by"),
        session_gap=opt.read_duration(session_gap) if session_gap else DEFAULT_GAP,
        timezone=timezone,
        rename=rename,
        reading=reading,
    )
    _import_chats(paths, out, options, list_skipped=list_skipped, quiet=quiet)


def _import_chats(
    paths: Sequence[Path], out: Path, options: ImportOptions, *, list_skipped: bool, quiet: bool
) -> None:
    """Convert exports of chats, and print what was imported.

    ``list_skipped`` also prints every message that is left out, and why. If ``quiet``, only the
    folder is printed.
    """
    from mabench.data.chats import import_chats
    from mabench.formats import SkippedMessage
    from mabench.reports.own_data.imports import import_report

    skipped: list[SkippedMessage] = []

    def note_skipped(message: SkippedMessage) -> None:
        if list_skipped:
            skipped.append(message)

    with con.ProgressBars(quiet) as bars:
        imported = import_chats(paths, out, options, on_skip=note_skipped, progress=bars)
    if quiet:
        con.print_written(out, quiet)
        return
    report = import_report(imported, renamed=options.rename)
    con.print_line(report.title)
    con.print_tables(report.tables, content=None, layout="table", sentences=report.remarks)
    for message in skipped:
        con.print_line(f"{message.place}: {message.why}")
    next_command = con.command_line("data", "questions", out)
    con.messages().print(f"Next, questions about them: {next_command}")


def _import_published(benchmark: str, path: Path, out: Path, quiet: bool) -> None:
    """Convert a published benchmark, and print the rows with the problems of each."""
    from mabench.data.writing.importing import import_published

    with con.ProgressBars(quiet) as bars:
        imported = import_published(benchmark, path, out, bars)
    if quiet:
        con.print_written(out, quiet)
        return
    for row in imported:
        questions = write_count(row.questions, "question")
        turns = write_count(row.turns, "turn")
        con.print_line(f"{row.source} row {row.row}: {questions}, {turns}")
        for problem in row.problems:
            if problem.field is None:  # Something of the benchmark that the new row lacks.
                con.print_line(f"  {problem.found}; kept: {problem.expected}")
            else:
                found = f"{problem.field}: found {problem.found}"
                con.print_line(f"  {found}; expected {problem.expected}")
    _print_data_written(out)


def _print_data_written(folder: Path) -> None:
    """Print where a data set was written, and the command that runs it."""
    con.print_written(folder)
    con.messages().print(f"To run it: {con.command_line('run', 'bm25', '--data', folder)}")


@opt.command("data show")
def _show(
    path: str,
    source: list[str] | None = None,
    row: list[int] | None = None,
    question: int | None = None,
    offline: bool = False,
    layout: str = "table",
) -> None:
    """Print the contents of a data set, or where the answers of its questions are."""
    from mabench.data.contents import missing_sources
    from mabench.reports.data_reports import contents_report

    dataset = mabench.load(path, offline=offline)
    if row or question is not None:
        _print_places(dataset, source, row, question, layout)
        return
    dataset = dataset.select(source) if source else dataset
    contents, report = dataset.contents, contents_report(dataset, brief=layout == "table")
    content = {
        "name": dataset.name,
        "fingerprint": dataset.fingerprint,
        "entities": None if dataset.entities is None else len(dataset.entities),
        "sources": [part.as_dict() for part in contents],
        "missing": missing_sources(contents),
    }
    con.print_report(report, content, layout)


def _print_places(
    dataset: Dataset,
    sources: Sequence[str] | None,
    rows: Sequence[int] | None,
    question: int | None,
    layout: str,
) -> None:
    """Print chosen questions of a data set, and where in the history their answers are."""
    from mabench.audit import question_places
    from mabench.reports.data_reports import places_table
    from mabench.reports.question import show_questions

    places = question_places(dataset, sources, rows, question)
    if layout == "table":
        show_questions(places, con.output())
        return
    listed = list(places)
    content = [{**place.as_dict(), "question": place.question._asdict()} for place in listed]
    con.print_tables([places_table(listed)], content, layout)


@opt.command("data page")
def _page(
    path: str,
    offline: bool = False,
    protocol: str = "structured",
    title: str | None = None,
    out: Path | None = None,
    quiet: bool = False,
) -> None:
    """Write a data set as an HTML page."""
    from mabench.injection import protocol_named
    from mabench.page.data_pages import data_page
    from mabench.runs.folders.names import name_folder

    if out:
        check_writable(out)
    protocol_named(protocol)  # Raises for an unknown name, before anything is downloaded.
    dataset = mabench.load(path, offline=offline)
    with con.ProgressBars(quiet) as bars:
        content = data_page(dataset, bars, protocol, title, offline=offline)
    con.write_page(out or Path(f"{name_folder([dataset.name])}.html"), content, quiet)


@opt.command("data export")
def _export(
    path: str, out: Path, offline: bool = False, questions: bool = False, quiet: bool = False
) -> None:
    """Write a data set, or only its questions, to files."""
    from mabench.data import export_hub_layout, export_questions

    dataset = mabench.load(path, offline=offline)
    if questions:
        export_questions(dataset, out)
    else:
        with con.ProgressBars(quiet) as bars:
            export_hub_layout(dataset, out, bars)
    con.print_written(out, quiet)


@opt.command("data chunks")
def _chunks(
    path: str,
    source: list[str] | None = None,
    offline: bool = False,
    protocol: str = "structured",
    chunk_tokens: int | None = None,
    layout: str = "table",
) -> None:
    """Print the chunks that agents get: their number, lengths and digests."""
    from mabench.injection import protocol_named

    InjectionSpec(chunk_tokens=chunk_tokens)  # Raises if the number is out of bounds.
    dataset = mabench.load(path, offline=offline)
    chunks_of_rows = protocol_named(protocol).list_chunks(
        dataset, source, chunk_tokens, offline=offline
    )
    if layout == "table":
        for chunks_of_row in chunks_of_rows:  # Printed at once: a row may take long.
            _print_chunks(chunks_of_row)
        return
    from mabench.reports.data_reports import chunks_table

    listed = list(chunks_of_rows)
    con.print_tables([chunks_table(listed)], [row._asdict() for row in listed], layout)


def _print_chunks(row: RowChunks) -> None:
    """Print how a row is cut: a line about the row, and one for each chunk."""
    if row.chunk_tokens is None:  # The history is told turn by turn.
        pieces = write_count(row.chunks, "turn")
    else:
        pieces = f"{write_count(row.chunks, 'chunk')} of {row.chunk_tokens} tokens"
    place = f"{row.split} row {row.row} {row.source}"
    con.print_line(f"{place}: {pieces}, protocol {row.protocol}")
    for number, (length, digest) in enumerate(zip(row.lengths, row.sha256, strict=True)):
        con.print_line(f"  {number:5} {length:8} characters  {digest}")


@opt.command("generate")
def _generate(
    sources: list[str],
    *,
    seed: int = 0,
    tokens: int | None = None,
    rows: int | None = None,
    questions: int | None = None,
    knob: list[str] | None = None,
    difficulty: str = "real",
    material: Path | None = None,
    out: Path,
    quiet: bool = False,
) -> None:
    """Write made-up rows: invented, from a manifest, or from material of the user."""
    from mabench.data import export_hub_layout
    from mabench.loading import row_generator

    generator = row_generator()
    for option, number in (("tokens", tokens), ("rows", rows), ("questions", questions)):
        if number is not None and number < 1:
            raise UsageError(f"--{option} must be at least 1, not {number}")
    knobs = {
        name: opt.read_amount(value, f"--knob {name}")
        for name, value in opt.read_pairs(knob, "--knob").items()
    }
    # Options that all ways to make rows take, and those only for rows that are invented.
    common: dict[str, Any] = {"seed": seed, "tokens": tokens, "questions": questions}
    has_common_options = any(common.values())  # Seed 0 is the default.
    has_invented_options = bool(rows or knobs or difficulty != "real")
    is_manifest = len(sources) == 1 and Path(sources[0]).suffix == ".json"
    if is_manifest:
        if has_invented_options or material or has_common_options:
            raise UsageError("a manifest says all about its rows; give only --out with it")
        dataset = generator.repeat_manifest(Path(sources[0]))
    elif material is None:
        dataset = generator.generate(
            sources, rows=rows, knobs=knobs, difficulty=difficulty, **common
        )
    elif len(sources) > 1 or has_invented_options:
        raise UsageError("--from takes one source and none of --rows, --knob and --difficulty")
    else:
        dataset = generator.read_material(sources[0], material, **common)
    named = replace(dataset, name=out.name)  # The data set is called as its folder is.
    with con.ProgressBars(quiet) as bars:
        export_hub_layout(named, out, bars)
    con.print_written(out, quiet)


@opt.command("sources")
def _sources(layout: str = "table") -> None:
    """List the benchmark's sources."""
    from mabench.data.inventory import SOURCES
    from mabench.families import family_of
    from mabench.reports.data_reports import sources_table

    content = [
        asdict(source) | {"competency": source.competency, "metric": family_of(source.name).metric}
        for source in SOURCES
    ]
    con.print_tables([sources_table(SOURCES)], content, layout)


@opt.command("audit")
def _audit(
    path: str,
    entities: Path | None = None,
    marked: list[Path] | None = None,
    offline: bool = False,
    layout: str = "table",
) -> None:
    """Print the doubtful gold answers of a data set."""
    from mabench.audit import audit
    from mabench.loading import catalogue_of, load
    from mabench.reports.data_reports import (
        audit_sentence,
        audit_tables,
        guess_remarks,
        repeat_remarks,
    )
    from mabench.reports.report import Report
    from mabench.reports.score_remarks import known_remarks, leak_remarks, mark_remarks
    from mabench.results import flag_marked_golds

    dataset = load(path, offline=offline)
    found_doubts = audit(dataset, catalogue_of(dataset, entities))
    doubts = flag_marked_golds(found_doubts, dataset, marked or ())
    remarks = [
        *leak_remarks(doubts.leaks),
        *mark_remarks(doubts.marks),
        *repeat_remarks(doubts.repeats),
        *guess_remarks(doubts.guesses),
        *known_remarks(doubts.known),
    ]
    tables = audit_tables(doubts, brief=layout == "table")
    report = Report(first=[audit_sentence(doubts)], tables=tables, remarks=remarks)
    con.print_report(report, doubts.as_dict(), layout)
