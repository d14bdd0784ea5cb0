"""Holding an agent to a baseline: running what is not yet run, comparing, and deciding."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from mabench.comparison import ComparedRun, Comparison, Pair, compare, is_score_table
from mabench.comparison.gates import find_deciding_difference, is_as_good, is_worse
from mabench.errors import UsageError
from mabench.gating.result import GatedScore, GateResult, PartChange
from mabench.gating.subjects import Subject, find_run_folder, run_agent
from mabench.progress import NoProgress, Progress
from mabench.results import Run, RunRecord, is_same_place
from mabench.settings import with_given
from mabench.specs import DataSpec, GateSpec, RunSpec

# What is run where neither the baseline nor the caller says on which data.
DEFAULT_DATA = "synthetic:compare"


def gate(
    agent: Subject,
    *,
    baseline: Subject,
    data: object | DataSpec | None = None,
    source: str | Collection[str] | None = None,
    margin: float = 0.0,
    strict: bool = False,
    on: str | None = None,
    repeat: int = 1,
    out: str | Path | None = None,
    max_cost: float | None = None,
    settings: GateSpec | None = None,
    progress: Progress | None = None,
) -> GateResult:
    """Hold an agent to a baseline on the same questions.

    It fails where it is shown to be worse by more than the margin: all of the 95 % interval of the
    difference lies below ``-margin``. Where neither a loss nor its absence is shown, it passes, and
    ``decided`` is False. What is run is kept, and used again while code and settings are the same.

    Args:
        agent: what is held to the baseline: a run (or its folder), or what makes an agent (a name,
            a class, a function, an ``AgentSpec``), which is run. Or a table of scores of two
            agents, as ``compare`` takes it.
        baseline: likewise; of a table, the agent that is the baseline.
        data: what agents are run on; by default the data of the baseline if that is a run, else
            ``synthetic:compare``.
        source: the source or sources to run; by default those of the baseline's run, else all.
        margin: how many points worse than the baseline the agent may be.
        strict: pass only where a loss of more than the margin is excluded.
        on: the source that decides; by default the mean of all.
        repeat: how many builds of each agent to run.
        out: the folder for what is run; ``runs/gate`` when None.
        max_cost: how many US dollars each run may spend.
        settings: of the gate; its ``run`` has those of every run, such as the model.
        progress: an object that shows how the runs proceed.

    Returns:
        The result; ``passed`` is the verdict, ``str`` says it in words.

    Raises:
        MabenchError: when an agent cannot be run, or the runs cannot be compared.
    """
    spec = settings or GateSpec(run=RunSpec(data=DataSpec(data=None)))
    names = (source,) if isinstance(source, str) else source
    rows = data if isinstance(data, DataSpec) else with_given(spec.run.data, data=data)
    rows = with_given(rows, sources=None if names is None else tuple(names))
    run = with_given(spec.run, out=None if out is None else Path(out), max_cost=max_cost)
    spec = replace(spec, run=replace(run, data=rows))
    spec = with_given(spec, margin=margin or None, strict=strict or None, on=on)
    return run_gate(agent, baseline, replace(spec, repeat=max(repeat, spec.repeat)), progress)


def run_gate(
    agent: Subject, baseline: Subject, spec: GateSpec, progress: Progress | None = None
) -> GateResult:
    """Hold an agent to a baseline, as ``gate`` does; raises as it does."""
    progress = progress or NoProgress()
    if is_score_table(agent):
        return decide(compare(agent, baseline=str(baseline)), spec)
    folder_of_baseline, folder_of_agent = find_run_folder(baseline), find_run_folder(agent)
    if folder_of_baseline and folder_of_agent:
        held_to, gated = folder_of_baseline, folder_of_agent
    else:
        run = _on_the_same_data(spec.run, folder_of_baseline or folder_of_agent)
        held_to = folder_of_baseline or run_agent(baseline, "baseline", run, spec.repeat, progress)
        gated = folder_of_agent or run_agent(agent, "gated", run, spec.repeat, progress)
    if is_same_place(gated, held_to):
        raise UsageError(f"{gated} is the baseline itself; name another run or an agent")
    return decide(compare([gated], baseline=held_to, score=spec.score), spec)


def _on_the_same_data(run: RunSpec, folder: Path | None) -> RunSpec:
    """Return the settings of a run, on the questions of a run that exists unless they say which."""
    if run.data.data is not None:
        return run
    if folder is None:
        return replace(run, data=replace(run.data, data=DEFAULT_DATA))
    record = _read_record(folder)
    if record.data.location is None and not record.data.name.startswith("synthetic:"):
        raise UsageError(
            f"{folder} does not say where its data are, which were made in Python; give them",
            parameter="data",
        )
    rows = with_given(
        replace(run.data, data=record.data.location or record.data.name),
        sources=run.data.sources or tuple(record.questions),
        rows=run.data.rows or record.rows,
        limit_questions=run.data.limit_questions or record.limit_questions,
    )
    injection = replace(run.injection, protocol=record.protocol, chunk_tokens=record.chunk_tokens)
    return replace(run, data=rows, injection=injection)


def _read_record(folder: Path) -> RunRecord:
    """Return what a run is, or the first of the builds in a folder."""
    builds = [folder] if (folder / "run.json").exists() else sorted(folder.glob("*/"))
    return Run(builds[0] if builds else folder).record


def decide(comparison: Comparison, spec: GateSpec) -> GateResult:
    """Return what a gate says of the one pair of a comparison, whose baseline is the second.

    Raises:
        UsageError: when the comparison has several pairs, or not the source that decides.
    """
    if len(comparison.pairs) != 1:
        others = ", ".join(pair.a for pair in comparison.pairs)
        raise UsageError(f"a gate holds one agent to its baseline, but there are {others}")
    [pair] = comparison.pairs
    runs = {run.run: run for run in comparison.runs}
    on, difference = find_deciding_difference(pair, spec.on)
    worse, as_good = is_worse(difference, spec.margin), is_as_good(difference, spec.margin)
    judged = difference.interval is not None
    deciding = [pair.sources[on]] if on in pair.sources else [*pair.sources.values()]
    return GateResult(
        passed=judged and (as_good if spec.strict else not worse),
        decided=worse or as_good,
        judged=judged,
        gated=_gated_score(runs[pair.a], on, difference.a),
        baseline=_gated_score(runs[pair.b], on, difference.b),
        on=on,
        margin=spec.margin,
        strict=spec.strict,
        difference=difference.difference,
        interval=difference.interval,
        histories="new" if difference.of_new_histories else "these",
        questions=sum(source.wins + source.losses + source.ties for source in deciding),
        better=sum(source.wins for source in deciding),
        worse=sum(source.losses for source in deciding),
        changed=tuple(sorted(_changed_parts(pair), key=lambda part: -abs(part.points))),
        builds_may_differ=pair.builds_may_differ,
    )


def _gated_score(run: ComparedRun, on: str, score: float) -> GatedScore:
    measured = run.sources.get(on, run.headline)
    return GatedScore(
        run=run.run,
        agent=run.agent,
        builds=run.builds,
        score=score,
        interval=measured.interval,
        dollars=run.mean_dollars(),
        seconds=run.mean_seconds(),
    )


def _changed_parts(pair: Pair) -> Iterator[PartChange]:
    """Yield the outcomes whose share is shown to differ, other than *right*."""
    for source, parts in pair.parts.items():
        for part, change in parts.items():
            if change.is_shown and part != "right":
                yield PartChange(source=source, part=part, points=change.difference)
