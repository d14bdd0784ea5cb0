"""`mabench observe`: the same conversations told to several memories, without golds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mabench.cli import console as con
from mabench.cli import options as opt
from mabench.cli.run import complete_spec, end_with_failures, progress_bars, read_agent, relative_to
from mabench.errors import UsageError, unknown
from mabench.specs import RunSpec

# Options of a run that an observation lacks or reads differently.
_NOT_OBSERVED = ("agent", "data", "source", "row", "out", "entities", "fresh", "prompts")


@opt.command("observe", RunSpec, without=_NOT_OBSERVED, protocol="turns")
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
    from mabench.observing import AskedOf, Observation, observe
    from mabench.reports.own_data.observation import show_observation

    if asked not in [*AskedOf]:
        raise UsageError(unknown("--ask: no questions of", asked, [*AskedOf]))
    out = out or Path("runs") / f"observe-{folder.resolve().name}-{asked}"
    spec = complete_spec(spec, fail_fast)
    specs = [replace(spec, agent=read_agent(agent, spec.agent)) for agent in agents]
    runs, here = [], Path.cwd()  # The folder of now: an agent may change the current one.
    with progress_bars(quiet, spec, "observation") as bars:
        for result in observe(folder, specs, AskedOf(asked), out, bars):
            if isinstance(result, Observation):
                observation = result
            else:
                runs.append(result)
    folders = [relative_to(run.folder, here) for run in runs]
    if quiet and layout == "table":
        for written in folders:
            con.print_written(written, quiet)
    else:
        show_observation(observation, layout, con.output(), full=full)
    if not quiet:
        con.messages().print(f"Run folders: {', '.join(map(str, folders))}")
        con.messages().print(f"Next: {con.command_line('show', folders[0])}")
    end_with_failures(runs)
