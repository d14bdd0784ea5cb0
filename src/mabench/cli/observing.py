"""`mabench observe`: tells the same conversations to several memories and compares their answers.

No golds are needed: it shows what the memories answer, cost and disagree on, and no scores.

The parameters of the command are its options, which ``commands.toml`` describes. ``layout`` is the
format of what is printed: "table" on a terminal, else a format of files.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.cli.run import complete_spec, end_with_failures, progress_bars, read_agent, relative_to
from mabench.errors import UsageError, unknown
from mabench.specs import RunSpec

# Options of a run that an observation lacks or reads differently.
_NOT_IN_OBSERVATIONS = ("agent", "data", "source", "row", "out", "entities", "fresh", "prompts")


@opt.command("observe", RunSpec, without=_NOT_IN_OBSERVATIONS, protocol="turns")
def _observe(
    folder: Path,
    agents: list[str],
    spec: RunSpec,
    asked: str = "users",
    fail_fast: bool = False,
    out: Path | None = None,
    full: bool = False,
    layout: str = "table",
    quiet: bool = False,
) -> None:
    """Run agents over the conversations of a folder, and print how their answers differ."""
    from mabench.observing import AskedOf, Observation, observe
    from mabench.reports.own_data.observation import show_observation

    choices = [*AskedOf]
    if asked not in choices:
        raise UsageError(unknown("--ask: no questions of", asked, choices))
    out = out or Path("runs") / f"observe-{folder.resolve().name}-{asked}"
    spec = complete_spec(spec, fail_fast)
    specs = [replace(spec, agent=read_agent(agent, spec.agent)) for agent in agents]
    here = Path.cwd()  # Looked up now: an agent may change the current folder.
    runs = []
    with progress_bars(quiet, spec, "observation") as bars:
        # Each run once it is done, and at last the observation of them all.
        for result in observe(folder, specs, AskedOf(asked), out, bars):
            if isinstance(result, Observation):
                observation = result
            else:
                runs.append(result)
    run_folders = [relative_to(run.folder, here) for run in runs]
    if quiet and layout == "table":
        for run_folder in run_folders:
            con.print_written(run_folder, quiet)
    else:
        show_observation(observation, layout, con.output(), full=full)
    if not quiet:
        con.messages().print(f"Run folders: {', '.join(map(str, run_folders))}")
        con.messages().print(f"Next: {con.command_line('show', run_folders[0])}")
    end_with_failures(runs)
