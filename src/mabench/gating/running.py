"""Gating from end to end: what has not been run is run, both are compared, and the pair judged."""

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

# What can be on either side of a gate.
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
    return run_gate(
        spec,
        agent,
        baseline,
        GateTerms(margin, strict, on, score, repeat, FOLDER if folder is None else Path(folder)),
        protocol=protocol.protocol if isinstance(protocol, InjectionSpec) else protocol,
        progress=progress,
    )


@dataclass(frozen=True, slots=True)
class GateTerms:
    """What a gate asks for; see ``gate``.

    Raises ``UsageError`` when the margin is below 0, or nothing is to be built.
    """

    margin: float = 0.0
    strict: bool = False
    on: str | None = None
    score: str = "official"
    repeat: int = 1
    folder: Path = FOLDER

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

    ``spec`` has those of the agent's run. Its data may be an empty text: those of a run count then,
    as does its ``protocol`` if none is named.
    """
    if isinstance(agent, str | Path) and is_score_table(agent):
        return terms.judge(compare(agent, baseline=str(baseline), score=terms.score))
    progress = progress or NoProgress()
    now, before = _find_run(agent), _find_run(baseline)
    known = before or now
    if not (now and before):
        spec = _complete(spec, protocol, _record_of(known) if known else None)
    if before is None:
        held = _agent_of(baseline, replace(spec.agent, settings={}))
        chosen = replace(spec, agent=held, out=None, fresh=False, retry_errors=False)
        before = _place(run_baseline(chosen, terms.repeat, terms.folder, progress))
    if now is None:
        chosen = replace(spec, agent=_agent_of(agent, spec.agent))
        now = _place(run_repeatedly(chosen, terms.repeat, progress))
    return terms.judge(compare([now], baseline=before, score=terms.score))


def _find_run(side: Side) -> Path | None:
    """Return the folder of a run; None for an agent."""
    if isinstance(side, Run):
        return side.folder
    if not isinstance(side, str | Path):
        return None
    try:
        place = find_folder(str(side)) if "/" in str(side) or str(side).isdecimal() else Path(side)
        if _holds_runs(place):
            return place
    except (MabenchError, OSError, ValueError):
        if isinstance(side, Path) or str(side).isdecimal():
            raise
        return None
    if isinstance(side, Path):
        raise UsageError(f"{side} holds no run; give the folder of one, or an agent")
    return None


def _holds_runs(place: Path) -> bool:
    return (place / "run.json").is_file() or any(place.glob("repeat-*/run.json"))


def _record_of(place: Path) -> RunRecord:
    is_one = (place / "run.json").is_file()
    return Run(place if is_one else min(place.glob("repeat-*/run.json")).parent).record


def _agent_of(side: Side, spec: AgentSpec) -> AgentSpec:
    if isinstance(side, AgentSpec):
        return replace(side, model=side.model or spec.model)
    assert not isinstance(side, Run | Path)  # noqa: S101  # `_find_run` has found those.
    return replace(spec, agent=side)


def _place(runs: list[Run]) -> Path:
    """Return the folder of a run, or the one above its builds."""
    return runs[0].folder if len(runs) == 1 else runs[0].folder.parent


def _complete(spec: RunSpec, protocol: str | None, record: RunRecord | None) -> RunSpec:
    """Return settings with the rows and the protocol of a run where none are given."""
    data, told = spec.data, spec.injection
    is_open = isinstance(data.data, str) and not data.data
    if is_open and record is not None:
        data = replace(
            data,
            data=record.data.location or record.data.name,
            sources=data.sources or tuple(record.questions),
            rows=data.rows or record.rows,
            limit_questions=data.limit_questions or record.limit_questions,
        )
    elif is_open:
        data = replace(data, data=DEFAULT_DATA, sources=data.sources or DEFAULT_SOURCES)
    if record is None:
        told = replace(told, protocol=protocol or default_protocol(data))
    else:
        tokens = told.chunk_tokens or record.chunk_tokens
        told = replace(told, protocol=protocol or record.protocol, chunk_tokens=tokens)
    return replace(spec, data=data, injection=told)
