"""Stressing a memory from end to end: trying it, looking for violations, and measuring it."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from mabench.errors import UsageError, require
from mabench.models import ModelAddress
from mabench.progress import NoProgress, Progress
from mabench.specs import AgentSpec
from mabench.stress_tests.growing import find_growth
from mabench.stress_tests.hunting import Hunt
from mabench.stress_tests.load import measure_harness, measure_load
from mabench.stress_tests.model_faults import spoiling
from mabench.stress_tests.playing import Seen, play, play_killed
from mabench.stress_tests.programs import Program, at_once, one_by_one
from mabench.stress_tests.report import (
    Latency,
    Size,
    StressFinding,
    StressReport,
    Tried,
    read_report,
)
from mabench.stress_tests.subject import Subject, find_subject
from mabench.stress_tests.trying import try_out

CLIENTS = (1, 8, 64)
SECONDS, PATIENCE = 60.0, 10.0
# Of the time, in parts; what one does not need is left to those after it. Histories made in each
# second that there is in all, as far as there is time for them.
_PARTS = {
    "one client": (6, 3.0),
    "several clients": (6, 2.0),
    "kill -9": (4, 0.2),
    "full disk": (2, 0.1),
    "model faults": (4, 0.5),
    "growing": (4, 0.0),
    "load": (4, 0.0),
}
_LEAST_HISTORIES = 5
_ELSEWHERE = ("kill -9", "full disk")  # In a process of the memory's own.
_LEAST_HANG = 5.0
_TRIES = 5  # Of a history of several clients while it is shrunk.
_SWITCH = 2e-5  # Seconds after which Python lets another thread go on.
_SLACK = 15.0  # Seconds beyond the end that a history may go on while it is shrunk.


def stress(
    memory: str | Callable[..., object] | AgentSpec,
    *,
    settings: Mapping[str, object] | None = None,
    seconds: float = SECONDS,
    seed: int = 0,
    patience: float = PATIENCE,
    clients: Sequence[int] = CLIENTS,
    replay: Path | None = None,
    baseline: Path | None = None,
    faults: Mapping[str, float] | None = None,
    progress: Progress | None = None,
) -> StressReport:
    """Use a memory at random, look for what it must not do, and measure it.

    Args:
        memory: its name, a class or function that makes one, or an ``AgentSpec``.
        settings: keyword arguments for what makes it.
        seconds: how long it may take.
        seed: of the histories and their words.
        patience: seconds that a write may take to be found where it is found later.
        clients: how many call it at a time under load.
        replay: a report whose histories are carried out instead.
        baseline: a report; a fault that it has, too, does not count.
        faults: ``{"model": RATE}``: that share of the requests to the server of models that the
            memory calls (``meter`` of an ``AgentSpec``, or its model) is spoiled for a while.
        progress: told what is looked into.

    Raises:
        DataError: when a report cannot be read.
        MissingPackageError: when Hypothesis is not installed.
        UsageError: when there is no such memory, it cannot be made, or a number is out of bounds.
    """
    require("hypothesis", "stress")
    spec = memory if isinstance(memory, AgentSpec) else AgentSpec(agent=memory)
    if settings:
        spec = replace(spec, settings={**spec.settings, **settings})
    if not 1 <= seconds < float("inf"):
        raise UsageError(f"{seconds:g} s; give seconds, at least 1", parameter="seconds")
    if not 0 <= patience < float("inf"):
        raise UsageError(f"{patience:g} s; give seconds, at least 0", parameter="patience")
    if not clients or any(not 1 <= count <= 1000 for count in clients):
        raise UsageError("give numbers from 1 to 1000, such as 1,8,64", parameter="clients")
    begun, progress = time.monotonic(), progress or NoProgress()
    known = sorted({*read_report(baseline).faults}) if baseline else []
    replayed = read_report(replay) if replay else None
    seed = replayed.seed if replayed else seed
    with ExitStack() as stack:
        folder = tempfile.TemporaryDirectory(prefix="mabench-stress-", ignore_cleanup_errors=True)
        subject = find_subject(spec, seed, Path(stack.enter_context(folder)), patience)
        stack.callback(subject.stop)  # Before the folder goes: a signal may have come.
        subject.least_hang = max(_LEAST_HANG, min(subject.least_hang, seconds))
        if faults:
            spoiled = spoiling(_address_of(spec, subject), _rate_of(faults), seed)
            subject.model_faults = stack.enter_context(spoiled)
        progress.note("stress", "trying it")
        readiness, not_tried = try_out(subject)
        report = StressReport(
            memory=subject.name,
            seed=seed,
            takes={name: sorted(of) for name, of in sorted(subject.takes.fields.items())},
            not_tried=not_tried,
            readiness=readiness,
            known=known,
        )
        if replayed:
            report = replace(report, findings=[*_replay(subject, replayed.findings)])
        else:
            report = _look(subject, report, begun, seconds, clients, progress)
    passed = {*report.faults} <= {*known}
    return replace(report, passed=passed, seconds=round(time.monotonic() - begun, 1))


def _look(
    subject: Subject,
    report: StressReport,
    begun: float,
    seconds: float,
    clients: Sequence[int],
    progress: Progress,
) -> StressReport:
    end = begun + seconds
    subject.until = end + _SLACK
    hunts = _hunts(subject, seconds)
    findings: list[StressFinding] = []
    tried: list[Tried] = []
    latency: list[Latency] = []
    sizes: list[Size] = []
    waiting = {part: of[0] for part, of in _PARTS.items() if part in (*hunts, "growing", "load")}
    for part in [*waiting]:
        share = waiting[part] / sum(waiting.values())
        left = max(0.0, end - time.monotonic()) * share
        del waiting[part]
        progress.note("stress", part)
        names = [each.name for each in findings]
        if part in hunts:
            for violation, history in hunts[part].find_all(report.seed, left, names):
                told, elsewhere = subject.facts.told(history), part in _ELSEWHERE
                name, message, *_, severity = violation
                findings.append(StressFinding(name, severity, message, told, elsewhere))
            tried.append(Tried(part, hunts[part].histories, hunts[part].complete))
        elif "hangs" in names:  # Nothing can be measured.
            continue
        elif part == "growing":
            findings += find_growth(subject, left)
        else:
            latency, sizes = measure_load(subject, clients, left)
    measured = sorted({each.clients for each in latency})
    harness = measure_harness(subject, measured) if latency else []
    return replace(
        report, findings=findings, tried=tried, latency=latency, sizes=sizes, harness=harness
    )


def _hunts(subject: Subject, seconds: float) -> dict[str, Hunt]:
    able, here = subject.abilities, partial(play, subject)
    makers: dict[str, tuple[object, Callable[..., Seen | None]]] = {
        "one client": (one_by_one(able), here),
        "several clients": (at_once(able), partial(_play_switching, subject)),
    }
    if "kill" in able.kinds and sys.platform == "linux":
        full = one_by_one(able, "disk-full", "disk-free", "reopen")
        makers["kill -9"] = one_by_one(able, "kill"), partial(play_killed, subject)
        makers["full disk"] = full, partial(play, subject, elsewhere=True)
    if subject.model_faults:
        makers["model faults"] = one_by_one(able, "model-spoiled", "model-well"), here
    return {
        part: Hunt(
            programs,
            player,
            max(_LEAST_HISTORIES, int(_PARTS[part][1] * seconds)),
            _TRIES if part == "several clients" else 1,
        )
        for part, (programs, player) in makers.items()
    }


def _address_of(spec: AgentSpec, subject: Subject) -> ModelAddress:
    """Return where a memory calls its model, if it can be told another address."""
    if not subject.factory.takes_address or not (spec.meter or spec.model):
        raise UsageError(
            f"{subject.name} cannot be told where to call a model; name the server that it calls "
            "with `meter`, for a program, a server on this machine or `python`, or a `model` for "
            "what takes an argument of that name",
            parameter="faults",
        )
    if spec.model:
        return ModelAddress.find(spec.model.name_on_server, spec.meter or spec.model.base_url)
    return ModelAddress.find(None, spec.meter)


def _rate_of(faults: Mapping[str, float]) -> float:
    rate = faults.get("model")
    if rate is None or len(faults) > 1 or not 0 < rate <= 1:
        message = "give a rate of a model's faults, above 0 and at most 1, such as model=0.1"
        raise UsageError(message, parameter="faults")
    return rate


def _play_switching(
    subject: Subject, program: Program, passed_over: Collection[str] = ()
) -> Seen | None:
    """Play with threads that take turns often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        return play(subject, program, passed_over)
    finally:
        sys.setswitchinterval(before)


def _replay(subject: Subject, findings: Sequence[StressFinding]) -> Iterator[StressFinding]:
    """Yield those findings that are seen again when their histories are carried out."""
    for finding in findings:
        if finding.name == "grows":
            yield from find_growth(subject, SECONDS)
            continue
        program = Program(finding.history, len(finding.history))
        several = any(max(each.client, each.clients or 1) > 1 for each in finding.history)
        for _ in range(_TRIES if several else 1):
            player = play_killed if finding.elsewhere else _play_switching
            if seen := player(subject, program):
                name, message, *_, severity = seen.violation
                yield replace(finding, name=name, message=message, severity=severity)
                break
