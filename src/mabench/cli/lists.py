"""What there is: `mabench runs`, `leaderboard`, `sources`, `agents`, `audit` and `cache`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from mabench.cli import options as opt
from mabench.cli.console import messages, output, print_line, print_tables
from mabench.printable import write_count
from mabench.specs import AgentSpec, DataSpec

_CacheFolder = Annotated[
    Path | None,
    opt.data(
        "--folder FOLDER", "The folder of replies; default: mabench's cache.", file_okay=False
    ),
]


def runs(
    folder: Annotated[
        Path | None, opt.argument("FOLDER", "Where to look; default: runs, where runs are written.")
    ] = None,
    layout: opt.Format = "table",
) -> None:
    """List runs, one per line, newest first: number, agent, data, score, state and age.

    Commands take the number of a run in the folder runs, or a part of its folder's name. The score
    is the official one: overall, or, where columns of the paper are missing, the mean over the
    run's sources.
    """
    from mabench.reports.listings import list_table
    from mabench.results import ListedRun, list_runs

    listed = list_runs(folder)
    if not listed and layout == "table":
        messages().print(f"no runs under {folder or 'runs'}; `mabench run` makes one")
        return
    print_tables([list_table(ListedRun, listed)], [run.as_dict() for run in listed], layout)


def leaderboard(
    runs: Annotated[list[Path] | None, opt.run_argument("RUN", "Runs to add.")] = None,
    layout: opt.Format = "table",
) -> None:
    """Print the published figures by reader and judge, together with your own runs."""
    from mabench.reports.leaderboard import show_leaderboard
    from mabench.results import Run

    show_leaderboard([Run(folder) for folder in runs or ()], layout, output())


def sources(layout: opt.Format = "table") -> None:
    """List the 22 sources of the benchmark, each with its split, column and metric."""
    from mabench.data.inventory import SOURCES, Source
    from mabench.families import family_of
    from mabench.reports.listings import list_table

    content = [
        asdict(source) | {"competency": source.competency, "metric": family_of(source.name).metric}
        for source in SOURCES
    ]
    print_tables([list_table(Source, SOURCES)], content, layout)


@opt.give_options(AgentSpec, without=opt.OF_RUNS, agent="")
def agents(spec: AgentSpec, layout: opt.Format = "table") -> None:
    """List the agents that can be run by name, or create AGENT and print what it takes."""
    from mabench.lookup import AgentInfo, available
    from mabench.reports.listings import list_table, takes_table
    from mabench.runs.conversation import Conversation

    if spec.agent:
        look = Conversation.look_at(spec)
        told = f"{look['agent']}, {look['kind']}: gets conversations one {look['unit']} at a time."
        sentences = [told, *(f"{miss}." for miss in look["near_misses"])]
        print_tables([takes_table(look["takes"])], look, layout, sentences)
        return
    listed = available()
    content = [{"name": a.name, "from": a.origin, "summary": a.summary} for a in listed]
    own = "An agent of your own is named package.module:factory."
    print_tables([list_table(AgentInfo, listed)], content, layout, [own])


def audit(
    path: opt.DataArgument,
    entities: Annotated[Path | None, opt.option_of(DataSpec, "entities")] = None,
    offline: Annotated[bool, opt.option_of(DataSpec, "offline")] = False,
    layout: opt.Format = "table",
) -> None:
    """List the questions whose gold is doubtful, with the reason, and count them.

    What it prints with --format json can be given to `mabench report --verified`.
    """
    from mabench.audit import audit as examine
    from mabench.loading import catalogue_of, load
    from mabench.reports.listings import audit_tables
    from mabench.reports.run_report import leak_remarks

    dataset = load(path, offline=offline)
    doubts = examine(dataset, catalogue_of(dataset, entities))
    print_tables(audit_tables(doubts), doubts.as_dict(), layout, leak_remarks(doubts.leaks))


def show_cache(folder: _CacheFolder = None) -> None:
    """Show where replies are cached, how many, and their size."""
    from mabench.models import ResponseCache

    cache = ResponseCache(folder, reads_only=folder is not None)
    contents = cache.contents()
    print_line(
        f"{cache.path}: {write_count(contents.replies, 'reply')}, {contents.bytes / 1e6:,.1f} MB"
    )


def clear_cache(folder: _CacheFolder = None) -> None:
    """Delete all cached replies; the next run pays for them again."""
    from mabench.models import ResponseCache

    cache = ResponseCache(folder)
    replies = cache.contents().replies
    cache.clear()
    print_line(f"{cache.path}: {write_count(replies, 'reply')} forgotten")
