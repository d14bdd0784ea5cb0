"""Judges whether an agent may take the place of its baseline, and runs both first if needed.

A gate has two sides, the agent and the baseline. Each is an agent, which is run, or a run, whose
answers are used as they are. A build is one of several repetitions of a run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mabench.comparison import Comparison, GateResult, compare, is_score_table, judge_pair
from mabench.errors import MabenchError, UsageError
from mabench.gating.kept import run_baseline
from mabench.progress import NoProgress, Progress
from mabench.results import Run, RunRecord, find_folder
from mabench.runs import default_protocol, run_repeatedly
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, Limits, ModelSpec, RunSpec
from mabench.specs.arguments import make_agent_spec, make_data_spec

# The rows of a gate if none are named: forty histories of 8k to 32k tokens that need no judge.
DEFAULT_DATA = "synthetic:compare"
DEFAULT_SOURCES = (
    *("ruler_qa1_197K", "ruler_qa2_421K"),
    *("factconsolidation_mh_32k", "factconsolidation_sh_32k"),
)
FOLDER = Path("runs") / "baselines"  # Where baselines are kept.

# What can be on either side of a gate: an agent or a run. A text names either.
Side = str | Path | Run | Callable[..., object] | AgentSpec


def gate(
    agent: Side,
    baseline: Side,
    data: object | DataSpec | None = None,
    *,
    source: str | Collection[str] | None = None,
    limit_questions: int | None = None,
    margin: float = 0.0,
    strict: bool = False,
    on: str | None = None,
    score: str = "official",
    repeat: int = 1,
    settings: Mapping[str, object] | None = None,
    model: str | ModelSpec | None = None,
    protocol: str | InjectionSpec | None = None,
    folder: str | Path | None = None,
    out: str | Path | None = None,
    max_cost: float | None = None,
    max_minutes: float | None = None,
    progress: Progress | None = None,
) -> GateResult:
    """Run an agent and its baseline on the same rows, and judge whether it may take its place.

    Each of the two is an agent, a run or the folder of one; of a run the other is run on its rows.
    A baseline that was run before with the same rows, settings and code is used again.

    Args:
        agent: what is judged: a name, a class or function that makes an agent, an ``AgentSpec``, a
            run, the folder of one, or a table of scores that has the baseline and one other agent.
        baseline: what it is held to; of a table of scores, an agent in it.
        data: the rows, as for ``mabench.run``; when None, those of the run if one is given, else
            forty made-up histories.
        source: the name or names of the sources to run; all when None.
        limit_questions: how many questions of each row are asked; all when None.
        margin: how many points worse the agent may be.
        strict: pass only where a loss of more than the margin is excluded (non-inferiority); by
            default the gate fails only where such a loss is shown.
        on: the source that decides; all together when None.
        score: ``official`` or ``corrected``.
        repeat: how many builds of each are run, for memories that differ from build to build.
        settings: keyword arguments for what makes the agent.
        model: the language model that reads, for both.
        protocol: as for ``mabench.run``.
        folder: where baselines are kept; ``runs/baselines`` when None.
        out: the folder of the agent's run; a new one under ``runs`` when None.
        max_cost: how many US dollars each run may spend.
        max_minutes: how many minutes each run may take.
        progress: an object that shows how the runs proceed.

    Returns:
        The verdict: ``passed``, ``decided``, ``difference``, ``interval``, and ``str()`` of it.

    Raises:
        MabenchError: when the two cannot be compared, or a limit stopped a run.
    """
    spec = RunSpec(
        agent=make_agent_spec(agent if isinstance(agent, AgentSpec) else "", settings, model),
        data=make_data_spec(
            "" if data is None else data, sources=source, limit_questions=limit_questions
        ),
        injection=protocol if isinstance(protocol, InjectionSpec) else InjectionSpec(),
        limits=Limits(max_minutes=max_minutes),
        max_cost=max_cost,
        out=None if out is None else Path(out),
    )
    terms = GateTerms(
        margin=margin,
        strict=strict,
        on=on,
        score=score,
        repeat=repeat,
        folder=FOLDER if folder is None else Path(folder),
    )
    return run_gate(
        spec,
        agent,
        baseline,
        terms,
        protocol=protocol.protocol if isinstance(protocol, InjectionSpec) else protocol,
        progress=progress,
    )


@dataclass(frozen=True, slots=True)
class GateTerms:
    """What the agent must reach to pass, and how the runs are made; see ``gate``.

    Raises:
        UsageError: when the margin is below 0, or there is to be no build.
    """

    margin: float = 0.0  # In points.
    strict: bool = False
    on: str | None = None  # A source; None for all together.
    score: str = "official"
    repeat: int = 1  # Builds of each side.
    folder: Path = FOLDER  # Where baselines are kept.

    def __post_init__(self) -> None:
        if self.repeat < 1:
            raise UsageError(f"must be at least 1, not {self.repeat}", parameter="repeat")
        if not 0 <= self.margin < math.inf:
            raise UsageError(f"must be at least 0 points, not {self.margin:g}", parameter="margin")

    def judge(self, comparison: Comparison) -> GateResult:
        """Return the verdict on the one pair of a comparison."""
        return judge_pair(comparison, self.margin, strict=self.strict, on=self.on)


def run_gate(
    spec: RunSpec,
    agent: Side,
    baseline: Side,
    terms: GateTerms,
    *,
    protocol: str | None = None,
    progress: Progress | None = None,
) -> GateResult:
    """Judge ``agent`` as ``gate`` does, with all settings of a run.

    Args:
        spec: the settings of the agent's run. Its data may be an empty text: then they are those of
            the side that is a run.
        agent: what is judged.
        baseline: what it is held to.
        terms: when the agent passes, and how both are run.
        protocol: the protocol; when None, that of the side that is a run, else that of the data.
        progress: an object that shows how the runs proceed.
    """
    if isinstance(agent, str | Path) and is_score_table(agent):
        return terms.judge(compare(agent, baseline=str(baseline), score=terms.score))
    progress = progress or NoProgress()
    agent_folder, baseline_folder = _find_run(agent), _find_run(baseline)
    given_run = baseline_folder or agent_folder
    if agent_folder is None or baseline_folder is None:
        record = None if given_run is None else _read_record(given_run)
        spec = _complete_spec(spec, protocol, record)
    if baseline_folder is None:
        # Only the agent has the settings, the folder and the options to run anew.
        baseline_agent = _make_agent(baseline, replace(spec.agent, settings={}))
        baseline_spec = replace(
            spec, agent=baseline_agent, out=None, fresh=False, retry_errors=False
        )
        builds = run_baseline(baseline_spec, terms.repeat, terms.folder, progress)
        baseline_folder = _common_folder(builds)
    if agent_folder is None:
        agent_spec = replace(spec, agent=_make_agent(agent, spec.agent))
        agent_folder = _common_folder(run_repeatedly(agent_spec, terms.repeat, progress))
    return terms.judge(compare([agent_folder], baseline=baseline_folder, score=terms.score))


def _find_run(side: Side) -> Path | None:
    """Return the folder of the run that is on a side; None for an agent.

    A text is the number of a run, a path to one, or the name of an agent. A ``Path`` is always of a
    run.

    Raises:
        UsageError: when a path or a number names no run.
    """
    if isinstance(side, Run):
        return side.folder
    if not isinstance(side, str | Path):
        return None
    name = str(side)
    must_be_run = isinstance(side, Path) or name.isdecimal()
    is_path_or_number = "/" in name or name.isdecimal()
    try:
        folder = find_folder(name) if is_path_or_number else Path(name)
        if _holds_runs(folder):
            return folder
    except (MabenchError, OSError, ValueError):  # Also a name that no path can have.
        if must_be_run:
            raise
        return None
    if isinstance(side, Path):
        raise UsageError(f"{side} holds no run; give the folder of one, or an agent")
    return None


def _holds_runs(folder: Path) -> bool:
    """Return whether a folder is that of a run, or of the builds of one."""
    return (folder / "run.json").is_file() or any(folder.glob("repeat-*/run.json"))


def _read_record(folder: Path) -> RunRecord:
    """Return what a run recorded of itself, or what the first of its builds did."""
    if not (folder / "run.json").is_file():
        folder = min(folder.glob("repeat-*/run.json")).parent
    return Run(folder).record


def _make_agent(side: Side, spec: AgentSpec) -> AgentSpec:
    """Return the settings of the agent on a side, which is no run; ``spec`` has what both share."""
    if isinstance(side, AgentSpec):
        return replace(side, model=side.model or spec.model)
    assert not isinstance(side, Run | Path)  # noqa: S101  # `_find_run` has found those.
    return replace(spec, agent=side)


def _common_folder(runs: list[Run]) -> Path:
    """Return the folder of a single run, or the one above several builds."""
    return runs[0].folder if len(runs) == 1 else runs[0].folder.parent


def _complete_spec(spec: RunSpec, protocol: str | None, record: RunRecord | None) -> RunSpec:
    """Return settings with the data, the protocol and the chunks of a run where none are given.

    ``record`` is of the run; without one, the data are the default of a gate.
    """
    data, injection = spec.data, spec.injection
    names_no_data = isinstance(data.data, str) and not data.data
    if names_no_data and record is not None:
        data = replace(
            data,
            data=record.data.location or record.data.name,
            sources=data.sources or tuple(record.questions),
            rows=data.rows or record.rows,
            limit_questions=data.limit_questions or record.limit_questions,
        )
    elif names_no_data:
        data = replace(data, data=DEFAULT_DATA, sources=data.sources or DEFAULT_SOURCES)
    if record is None:
        injection = replace(injection, protocol=protocol or default_protocol(data))
    else:
        injection = replace(
            injection,
            protocol=protocol or record.protocol,
            chunk_tokens=injection.chunk_tokens or record.chunk_tokens,
        )
    return replace(spec, data=data, injection=injection)
