"""Stressing a memory from end to end: trying it, looking for violations, and measuring it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from mabench.errors import UsageError, require
from mabench.models import ModelAddress
from mabench.progress import NoProgress, Progress
from mabench.specs import AgentSpec, StressSpec
from mabench.stress_tests.hunting import HistoryKind, hunt
from mabench.stress_tests.measuring import find_growth, measure_harness, measure_load
from mabench.stress_tests.model import Violation
from mabench.stress_tests.operations import Operation, Program
from mabench.stress_tests.outside import SpoilingMeter
from mabench.stress_tests.playing import play
from mabench.stress_tests.programs import Abilities, at_once, one_by_one
from mabench.stress_tests.report import StressFinding, StressReport, Tried, read_report
from mabench.stress_tests.subject import Subject, find_subject, try_out

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
_TO_GROW = 60.0  # Seconds to see again whether it grows.
_SLACK = 15.0  # Seconds beyond the end that a history may go on while it is shrunk.


def stress(
    memory: str | Callable[..., object] | AgentSpec,
    settings: StressSpec | None = None,
    *,
    replay: Path | None = None,
    baseline: Path | None = None,
    progress: Progress | None = None,
) -> StressReport:
    """Use a memory at random, look for what it must not do, and measure it.

    Args:
        memory: its name, a class or function that makes one, or an ``AgentSpec``.
        settings: how long it may take, the seed, and so on.
        replay: a report whose histories are carried out instead.
        baseline: a report; a fault that it has, too, does not count.
        progress: told what is looked into.

    Raises:
        DataError: when a report cannot be read.
        MissingPackageError: when Hypothesis is not installed, or aiohttp for faults of a model.
        UsageError: when there is no such memory, or it cannot be made.
    """
    require("hypothesis", "stress")
    spec = memory if isinstance(memory, AgentSpec) else AgentSpec(agent=memory)
    settings, progress, begun = settings or StressSpec(), progress or NoProgress(), time.monotonic()
    known = sorted({*read_report(baseline).faults}) if baseline else []
    replayed = read_report(replay) if replay else None
    seed = replayed.seed if replayed else settings.seed
    with ExitStack() as stack:
        folder = tempfile.TemporaryDirectory(prefix="mabench-stress-", ignore_cleanup_errors=True)
        place = Path(stack.enter_context(folder))
        subject = find_subject(spec, seed, place, settings.patience)
        stack.callback(subject.stop)  # Before the folder goes: a signal may have come.
        if settings.faults:
            meter = SpoilingMeter(_address_of(spec, subject), settings.faults["model"], seed)
            subject.model_faults = stack.enter_context(meter)
        progress.note("stress", "trying it")
        readiness, not_tried = try_out(subject)
        report = StressReport(
            memory=subject.factory.name,
            seed=seed,
            takes={name: sorted(of) for name, of in sorted(subject.takes.fields.items())},
            not_tried=not_tried,
            readiness=readiness,
            known=known,
        )
        if replayed:
            fitting = [(each, *_fit(subject.abilities, each.history)) for each in replayed.findings]
            missing = sorted({name for _, _, names in fitting for name in names})
            not_offered = [f"{name}, in the replayed histories: not offered" for name in missing]
            report = replace(
                report,
                findings=[*_replay(subject, ((each, history) for each, history, _ in fitting))],
                not_tried=[*not_tried, *not_offered],
            )
        else:
            report = _look(subject, report, settings, progress)
    passed = {*report.faults} <= {*known}
    return replace(report, passed=passed, seconds=round(time.monotonic() - begun, 1))


def _look(
    subject: Subject, report: StressReport, settings: StressSpec, progress: Progress
) -> StressReport:
    end = time.monotonic() + settings.seconds  # What making it for the first time took is over.
    subject.until = end + _SLACK
    histories = _histories_of(subject)
    findings: list[StressFinding] = []
    tried: list[Tried] = []
    waiting = {part: of[0] for part, of in _PARTS.items() if of[1] == 0 or part in histories}
    for part in [*waiting]:
        share = waiting[part] / sum(waiting.values())
        left = max(0.0, end - time.monotonic()) * share
        del waiting[part]
        progress.note("stress", part)
        names, elsewhere = {each.name for each in findings}, part in _ELSEWHERE
        if part in histories:
            most = max(_LEAST_HISTORIES, int(_PARTS[part][1] * settings.seconds))
            made = HistoryKind(part, histories[part], most, elsewhere)
            catches, outcome = hunt(made, subject, report.seed, left, names)
            tried.append(outcome)
            for violation, history in catches:
                told = subject.facts.spell_out(history)
                findings.append(_finding_of(violation, told, elsewhere))
        elif "hangs" in names:  # Nothing can be measured.
            continue
        elif part == "growing":
            over = time.monotonic() + left
            findings += find_growth(subject, left)
            tried.append(Tried(part, 0, time.monotonic() < over))
        else:
            latency, sizes = measure_load(subject, settings.clients, left)
            report = replace(report, latency=latency, sizes=sizes)
            tried.append(Tried(part, 0, bool(latency)))
    if measured := sorted({each.clients for each in report.latency}):
        report = replace(report, harness=measure_harness(subject, measured))
    return replace(report, findings=findings, tried=tried)


def _histories_of(subject: Subject) -> dict[str, Any]:
    """Return the strategies of histories that a memory can carry out, by parts."""
    able = subject.abilities
    histories = {"one client": one_by_one(able), "several clients": at_once(able)}
    if "disk-full" in able.kinds:
        histories["kill -9"] = one_by_one(able, "kill")
        histories["full disk"] = one_by_one(able, "disk-full", "disk-free", "reopen")
    if "model-spoiled" in able.kinds:
        histories["model faults"] = one_by_one(able, "model-spoiled", "model-well")
    return histories


def _finding_of(
    violation: Violation, history: Sequence[Operation], elsewhere: bool
) -> StressFinding:
    name, message, _, severity = violation
    return StressFinding(name, severity, message, history, elsewhere)


def _address_of(spec: AgentSpec, subject: Subject) -> ModelAddress:
    """Return where a memory calls its model, if it can be told another address."""
    if not subject.factory.takes_address or not (spec.meter or spec.model):
        raise UsageError(
            f"{subject.factory.name} cannot be told where to call a model; name the server that it "
            "calls with `meter`, for a program, a server on this machine or `python`, or a `model` "
            "for what takes an argument of that name",
            parameter="faults",
        )
    if spec.model:
        return ModelAddress.find(spec.model.name_on_server, spec.meter or spec.model.base_url)
    return ModelAddress.find(None, spec.meter)


def _fit(able: Abilities, history: Iterable[Operation]) -> tuple[list[Operation], set[str]]:
    """Return what a memory can carry out of a history of another, and what it does not offer."""
    fitting, missing = list[Operation](), set[str]()
    for each in history:
        fits = each if each.op == "ready" else able.fit(each)  # Whoever has no ready() is ready.
        if fits is None:
            missing.add(each.op)
        elif each.op == "search" and fits.time != each.time:
            missing.add("search as of a time")
        else:
            fitting.append(fits)
    return fitting, missing


def _replay(
    subject: Subject, findings: Iterable[tuple[StressFinding, Sequence[Operation]]]
) -> Iterator[StressFinding]:
    """Yield those findings that are seen again when these histories are carried out."""
    for finding, history in findings:
        if finding.name == "grows":
            yield from find_growth(subject, _TO_GROW)
            continue
        program = Program(history, len(history))
        for _ in range(program.tries):
            if seen := play(subject, program, elsewhere=finding.elsewhere):
                yield _finding_of(seen.violation, history, finding.elsewhere)
                break
