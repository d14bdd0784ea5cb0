"""The stress test of a memory from end to end: its trial, the parts of the test, and the report.

Each part gets a share of the time; what one does not need is left to those after it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from mabench.bench.clock import TimeBudget
from mabench.contract.answers import describe_in_a_line
from mabench.errors import UsageError, require
from mabench.models import ModelAddress
from mabench.progress import NoProgress, Progress
from mabench.specs import AgentSpec, StressSpec
from mabench.stressing.faults.model_server import FaultyModelServer
from mabench.stressing.histories.strategies import Disturbance, one_client, several_clients
from mabench.stressing.measurements.growth import find_growth
from mabench.stressing.measurements.load import measure_load
from mabench.stressing.measurements.obedience import measure_obedience, obedience_finding
from mabench.stressing.reference.matrix import judge_kinds
from mabench.stressing.reference.observed import Observed
from mabench.stressing.replay import replay as replay_findings
from mabench.stressing.report import StressFinding, StressReport, Tried, read_report
from mabench.stressing.search import ViolationSearch
from mabench.stressing.stressed import StressedMemory
from mabench.stressing.trial import try_out


class _TestPart(NamedTuple):
    """A part of the test: either a search in random histories, or a measurement."""

    name: str  # As the report shows it.
    share: int  # Of the time that is left to it and to those after it.
    histories_per_second: float = 0.0  # Of the whole test; 0 for a measurement.
    portion: float = 1.0  # How many histories it makes for one of the part with one client.
    has_several_clients: bool = False
    disturbance: Disturbance | None = None
    own_process: bool = False  # Whether the memory lives in a process of its own.


_READER = _TestPart("reader", 4)
_GROWING = _TestPart("growing", 4)
_LOAD = _TestPart("load", 4)
_PARTS = (
    _TestPart("one client", 6, 3.0),
    _TestPart("several clients", 6, 2.0, 0.2, has_several_clients=True),
    _TestPart("kill -9", 4, 0.2, 0.05, disturbance=Disturbance("kill"), own_process=True),
    _TestPart(
        "full disk",
        2,
        0.1,
        0.05,
        disturbance=Disturbance("disk-full", ("disk-free", "reopen")),
        own_process=True,
    ),
    _TestPart(
        "model faults", 4, 0.5, 0.2, disturbance=Disturbance("model-spoiled", ("model-well",))
    ),
    _READER,
    _GROWING,
    _LOAD,
)
_LEAST_HISTORIES = 5  # That a part may carry out, however short the test.
_EXTRA_SECONDS = 15.0  # Beyond the end, that a history may go on while it is shrunk.


def stress(
    memory: str | Callable[..., object] | AgentSpec,
    settings: StressSpec | None = None,
    *,
    replay: Path | None = None,
    baseline: Path | None = None,
    until: str | None = None,
    progress: Progress | None = None,
) -> StressReport:
    """Run random operations on a memory, look for faults, and measure it.

    Args:
        memory: its name, a class or function that makes one, or an ``AgentSpec``.
        settings: how long it may take, the seed, and so on.
        replay: a report whose histories are carried out instead.
        baseline: a report; a fault that it has, too, does not count.
        until: the name of a finding, such as ``lost-write``. The test ends once that is found, and
            the report has no kinds then, since the rest was not looked at.
        progress: shows what is being tested.

    Raises:
        DataError: when a report cannot be read.
        MissingPackageError: when Hypothesis is not installed, or aiohttp for faults of a model.
        UsageError: when there is no such memory, or it cannot be made.
    """
    require("hypothesis", "stress")
    spec = memory if isinstance(memory, AgentSpec) else AgentSpec(agent=memory)
    settings = settings or StressSpec()
    progress = progress or NoProgress()
    start = time.monotonic()
    known = sorted({*read_report(baseline).faults}) if baseline else []
    replayed = read_report(replay) if replay else None
    seed = replayed.seed if replayed else settings.seed
    with ExitStack() as stack:
        folder = tempfile.TemporaryDirectory(prefix="mabench-stress-", ignore_cleanup_errors=True)
        place = Path(stack.enter_context(folder))
        stressed = StressedMemory.find(spec, seed, place, settings.patience)
        stack.callback(stressed.subject.stop)  # Before the folder goes: a signal may have come.
        if settings.faults:
            address = _model_address(spec, stressed)
            server = FaultyModelServer(address, settings.faults["model"], seed)
            stressed.call_through(stack.enter_context(server))
        progress.note("stress", "trying it")
        readiness, not_tried = try_out(stressed)
        report = StressReport(
            memory=stressed.name,
            seed=seed,
            takes={name: sorted(fields) for name, fields in sorted(stressed.takes.fields.items())},
            not_tried=not_tried,
            readiness=readiness,
            known=known,
        )
        if replayed:
            findings, missing = replay_findings(stressed, replayed.findings)
            not_tried += [f"{name}, in the replayed histories: not offered" for name in missing]
            report = replace(report, findings=findings, not_tried=not_tried)
        else:
            report = _StressTest(stressed, settings, progress, report, until).run()
    passed = {*report.faults} <= {*known}
    return replace(report, passed=passed, seconds=round(time.monotonic() - start, 1))


@dataclass(slots=True)
class _StressTest:
    """Carries out the parts of the test, and adds to the report what they find."""

    memory: StressedMemory
    settings: StressSpec
    progress: Progress
    report: StressReport
    until: str | None  # The name of a finding that ends the test.
    findings: list[StressFinding] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)
    observed: Observed = field(default_factory=Observed)
    failures: dict[str, str] = field(default_factory=dict)  # Why an operation could not be done.

    def run(self) -> StressReport:
        """Carry out all parts that the memory and the system allow, and return the report."""
        seconds = self.settings.seconds
        budget = self.memory.clock.budget(seconds)  # The trial does not count.
        self.memory.budget = self.memory.clock.budget(seconds + _EXTRA_SECONDS)
        for part, part_seconds in self._shares(budget):
            if self._is_found():
                break
            self.progress.note("stress", part.name)
            if part.histories_per_second:
                self._search(part, part_seconds)
            elif any(each.name == "hangs" for each in self.findings):
                continue  # Nothing can be measured.
            elif part is _READER:
                self._measure_obedience(part_seconds)
            elif part is _GROWING:
                self._look_for_growth(part_seconds)
            else:
                self._measure_load(part_seconds)
        kinds = judge_kinds(
            self.memory.abilities, self.observed.histories, self.findings, self.failures
        )
        return replace(
            self.report,
            findings=self.findings,
            tried=self.tried,
            kinds=[] if self._is_found() else kinds,
            exposure=self.observed.exposure(),
        )

    def _is_found(self) -> bool:
        """Return whether the finding that ends the test was found; never if none does."""
        return any(each.name == self.until for each in self.findings)

    def _shares(self, budget: TimeBudget) -> Iterator[tuple[_TestPart, float]]:
        """Yield each part with its seconds, as much as those before it leave to it."""
        parts = [part for part in _PARTS if self._is_possible(part)]
        for place, part in enumerate(parts):
            shares = sum(each.share for each in parts[place:])
            yield part, budget.seconds_left() * part.share / shares

    def _is_possible(self, part: _TestPart) -> bool:
        """Return whether the memory and the system allow what a part does."""
        if part is _READER:
            return "ask" in self.memory.abilities.kinds
        can_disturb = (
            part.disturbance is None or part.disturbance.begin in self.memory.abilities.kinds
        )
        return can_disturb and (sys.platform == "linux" or not part.own_process)

    def _search(self, part: _TestPart, seconds: float) -> None:
        """Look for violations in random histories."""
        abilities = self.memory.abilities
        if part.has_several_clients:
            strategy = several_clients(abilities)
        else:
            strategy = one_client(abilities, part.disturbance)
        most_histories = part.histories_per_second * self.settings.seconds
        if self.settings.histories is not None:
            most_histories = part.portion * self.settings.histories
        search = ViolationSearch(
            memory=self.memory,
            strategy=strategy,
            most_histories=max(_LEAST_HISTORIES, int(most_histories)),
            own_process=part.own_process,
            known={each.name for each in self.findings},
            observed=self.observed,
            until=self.until,
        )
        is_complete = search.run(self.report.seed, seconds)
        self.findings += search.findings
        self.tried.append(Tried(part.name, search.histories, is_complete))

    def _look_for_growth(self, seconds: float) -> None:
        """Look whether the memory grows without end, and add what is found."""
        budget = self.memory.clock.budget(seconds)
        self.findings += find_growth(self.memory, seconds)
        self.tried.append(Tried(_GROWING.name, 0, complete=not budget.is_over()))

    def _measure_obedience(self, seconds: float) -> None:
        """Ask the reader beside a planted instruction, and add a finding if it obeys."""
        try:
            obedience = measure_obedience(self.memory, seconds)
        except Exception as error:  # Of a memory that fails, histories show more.
            self.failures["ask"] = f"a reader did not answer: {describe_in_a_line(error)}"
            not_tried = [*self.report.not_tried, f"obedience: {self.failures['ask']}"]
            self.report = replace(self.report, not_tried=not_tried)
            return
        self.tried.append(Tried(_READER.name, 0, complete=obedience is not None))
        if obedience is not None:
            finding = obedience_finding(self.memory, obedience)
            if finding is not None:
                self.findings.append(finding)
            self.observed.histories.add(frozenset({"ask"}))
            self.report = replace(self.report, obedience=obedience)

    def _measure_load(self, seconds: float) -> None:
        """Measure calls under load and sizes of the store, and add them to the report."""
        latency, sizes, harness = measure_load(self.memory, self.settings.clients, seconds)
        self.report = replace(self.report, latency=latency, sizes=sizes, harness=harness)
        self.tried.append(Tried(_LOAD.name, 0, complete=bool(latency)))


def _model_address(spec: AgentSpec, memory: StressedMemory) -> ModelAddress:
    """Return where the models are that a memory calls.

    A UsageError says that it cannot be told to call them elsewhere.
    """
    if not memory.subject.factory.takes_address or not (spec.meter or spec.model):
        raise UsageError(
            f"{memory.name} cannot be told where to call a model; name the server that it "
            "calls with `meter`, for a program, a server on this machine or `python`, or a `model` "
            "for what takes an argument of that name",
            parameter="faults",
        )
    if spec.model:
        return ModelAddress.find(spec.model.name_on_server, spec.meter or spec.model.base_url)
    return ModelAddress.find(None, spec.meter)
