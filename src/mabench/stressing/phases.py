"""Stressing a memory from end to end: trying it, looking for violations, and measuring it.

Hypothesis makes histories by a seed, and shrinks those that show a violation.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from mabench.errors import UsageError, require
from mabench.models import ModelAddress
from mabench.progress import NoProgress, Progress
from mabench.specs import AgentSpec, StressSpec
from mabench.stressing.measuring import find_growth, measure_load
from mabench.stressing.model import Violation
from mabench.stressing.operations import Operation, Program, spell_out
from mabench.stressing.outside import SpoilingMeter
from mabench.stressing.playing import play
from mabench.stressing.programs import at_once, one_by_one
from mabench.stressing.report import StressFinding, StressReport, Tried, read_report
from mabench.stressing.seclusion import secluded_hypothesis
from mabench.stressing.subject import Subject


class _Phase(NamedTuple):
    share: int  # Of the time; what one does not need is left to those after it.
    rate: float = 0.0  # Histories for each second that there is in all, if there is time for them.
    trouble: Sequence[str] = ()  # From outside.
    elsewhere: bool = False  # Whether the memory lives in a process of its own.


_PARTS = {
    "one client": _Phase(6, 3.0),
    "several clients": _Phase(6, 2.0),
    "kill -9": _Phase(4, 0.2, ["kill"], elsewhere=True),
    "full disk": _Phase(2, 0.1, ["disk-full", "disk-free", "reopen"], elsewhere=True),
    "model faults": _Phase(4, 0.5, ["model-spoiled", "model-well"]),
    "growing": _Phase(4),
    "load": _Phase(4),
}
_LEAST_HISTORIES = 5
_MOST_NAMES = 12  # Of violations in a part.
_TO_GROW = 60.0  # Seconds to see again whether it grows.
_SLACK = 15.0  # Seconds beyond the end that a history may go on while it is shrunk.
_TO_SHRINK = 3.0  # Seconds that a history may be shrunk for, whatever time is left.
# Seconds to leave operations out one by one, where that took too long, or so many plays.
_TO_TIDY, _MOST_TIDYING, _PLAYS = 3.0, 12.0, 20


def stress(
    memory: str | Callable[..., object] | AgentSpec,
    settings: StressSpec | None = None,
    *,
    replay: Path | None = None,
    baseline: Path | None = None,
    progress: Progress | None = None,
) -> StressReport:
    """Run random operations on a memory, look for faults, and measure it.

    Args:
        memory: its name, a class or function that makes one, or an ``AgentSpec``.
        settings: how long it may take, the seed, and so on.
        replay: a report whose histories are carried out instead.
        baseline: a report; a fault that it has, too, does not count.
        progress: shows what is being tested.

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
        subject = Subject.find(spec, seed, place, settings.patience)
        stack.callback(subject.stop)  # Before the folder goes: a signal may have come.
        if settings.faults:
            meter = SpoilingMeter(_address_of(spec, subject), settings.faults["model"], seed)
            subject.model_faults = stack.enter_context(meter)
        progress.note("stress", "trying it")
        readiness, not_tried = subject.try_out()
        report = StressReport(
            memory=subject.factory.name,
            seed=seed,
            takes={name: sorted(of) for name, of in sorted(subject.takes.fields.items())},
            not_tried=not_tried,
            readiness=readiness,
            known=known,
        )
        if replayed:
            findings, missing = _replay(subject, replayed.findings)
            not_tried += [f"{name}, in the replayed histories: not offered" for name in missing]
            report = replace(report, findings=findings, not_tried=not_tried)
        else:
            report = _look(subject, report, settings, progress)
    passed = {*report.faults} <= {*known}
    return replace(report, passed=passed, seconds=round(time.monotonic() - begun, 1))


def _look(
    subject: Subject, report: StressReport, settings: StressSpec, progress: Progress
) -> StressReport:
    end = time.monotonic() + settings.seconds  # What making it for the first time took is over.
    subject.until, able = end + _SLACK, subject.abilities
    findings, tried = list[StressFinding](), list[Tried]()
    parts = [
        (name, part)
        for name, part in _PARTS.items()
        if {*part.trouble[:1]} <= able.kinds and (sys.platform == "linux" or not part.elsewhere)
    ]
    for place, (name, part) in enumerate(parts):
        shares = sum(each.share for _, each in parts[place:])
        left = max(0.0, end - time.monotonic()) * part.share / shares
        progress.note("stress", name)
        if part.rate:
            together = name == "several clients"
            programs = at_once(able) if together else one_by_one(able, *part.trouble)
            most = max(_LEAST_HISTORIES, int(part.rate * settings.seconds))
            hunt = _Hunt(subject, programs, most, part.elsewhere, {each.name for each in findings})
            complete = hunt.go(report.seed, left)
            findings += hunt.findings
            tried.append(Tried(name, hunt.histories, complete))
        elif any(each.name == "hangs" for each in findings):  # Nothing can be measured.
            continue
        elif name == "growing":
            over = time.monotonic() + left
            findings += find_growth(subject, left)
            tried.append(Tried(name, 0, time.monotonic() < over))
        else:
            latency, sizes, harness = measure_load(subject, settings.clients, left)
            report = replace(report, latency=latency, sizes=sizes, harness=harness)
            tried.append(Tried(name, 0, bool(latency)))
    return replace(report, findings=findings, tried=tried)


def _address_of(spec: AgentSpec, subject: Subject) -> ModelAddress:
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


def _replay(
    subject: Subject, findings: Iterable[StressFinding]
) -> tuple[list[StressFinding], list[str]]:
    """Return the findings that are seen again with what can be carried out, and what cannot be."""
    again, missing = list[StressFinding](), set[str]()
    for finding in findings:
        history: list[Operation] = []
        for each in finding.history:
            # Whoever has no ready() is ready.
            fits = each if each.op == "ready" else subject.abilities.fit(each)
            if fits is None:
                missing.add(each.op)
            elif each.op == "search" and fits.time != each.time:
                missing.add("search as of a time")
            else:
                history.append(fits)
        if finding.name == "grows":
            again += find_growth(subject, _TO_GROW)
        elif seen := _play_again(subject, Program(history, len(history), finding.elsewhere)):
            what = seen.name, seen.severity, seen.message
            again.append(StressFinding(*what, history, finding.elsewhere))
    return again, sorted(missing)


def _play_again(
    subject: Subject, program: Program, name: str = "", known: Collection[str] = ()
) -> Violation | None:
    """Return what a history shows in one of its tries: what is of a name, if one is given."""
    for _ in range(program.tries):
        seen = play(subject, program, known)
        if seen and name in ("", seen.name):
            return seen
    return None


class _TimeUpError(BaseException):
    """Passes through Hypothesis, which catches exceptions."""


class _ViolationError(Exception):
    pass


@dataclass(slots=True)
class _Hunt:
    """A search for violations of names that are not ``known``, in so many histories at most."""

    subject: Subject
    programs: Any  # The strategy that makes histories.
    most: int
    elsewhere: bool
    known: set[str]
    histories: int = 0  # That were made, apart from those that shrink one.
    end: float = 0.0
    best: tuple[Program, Violation] | None = None  # The shortest history that showed something.
    findings: list[StressFinding] = field(default_factory=list)

    def go(self, seed: int, seconds: float) -> bool:
        """Find one violation of each name, within some seconds; return whether they were enough.

        One history is made in any case, unless all is over.
        """
        complete, end = False, time.monotonic() + seconds
        while len(self.findings) < _MOST_NAMES and (not self.histories or time.monotonic() < end):
            self.end, self.best = end, None
            complete = self._search(seed + len(self.findings))
            if self.best is None:
                break
            seen, history = self._tidy(*self.best)
            told = spell_out(history, self.subject.facts)
            what = seen.name, seen.severity, seen.message
            self.findings.append(StressFinding(*what, told, self.elsewhere))
            self.known.add(seen.name)
        return complete

    def _search(self, seed: int) -> bool:
        with secluded_hypothesis() as hypothesis:
            return self._search_with(hypothesis, seed)

    def _search_with(self, hypothesis: Any, seed: int) -> bool:
        test = hypothesis.settings(
            max_examples=self.most,
            database=None,
            deadline=None,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
            suppress_health_check=[*hypothesis.HealthCheck],
            report_multiple_bugs=False,
            print_blob=False,
            verbosity=hypothesis.Verbosity.quiet,
        )(hypothesis.seed(seed)(hypothesis.given(self.programs)(self._carry_out)))
        try:
            test()
        except _TimeUpError:
            return False
        except (_ViolationError, hypothesis.errors.HypothesisException):
            # One of these is that what was seen once was not seen again.
            return self.best is not None
        return True

    def _carry_out(self, program: Program) -> None:
        subject, best = self.subject, self.best
        program = program._replace(elsewhere=self.elsewhere)
        if (self.histories and time.monotonic() > self.end) or subject.is_over(subject.until):
            raise _TimeUpError
        if not program.own:  # Nothing would be done.
            return
        for _ in range(program.tries if best else 1):
            seen = play(subject, program, self.known)
            whole = seen is not None or not subject.is_over(subject.until)
            self.histories += best is None and whole
            if seen and (best is None or seen.name == best[1].name):
                if best is None:
                    self.end = max(self.end, time.monotonic() + _TO_SHRINK)
                if best is None or _size(program, seen) <= _size(*best):
                    self.best = program, seen
                raise _ViolationError
            if time.monotonic() > self.end:
                raise _TimeUpError

    def _tidy(self, program: Program, seen: Violation) -> tuple[Violation, list[Operation]]:
        """Return what the history up to what was seen shows, without what takes no part."""
        begun = time.monotonic()

        def show(history: list[Operation]) -> Violation | None:
            again = program._replace(operations=history, own=len(history))
            return _play_again(self.subject, again, seen.name, self.known)

        violation, shows, operations = seen, seen.operation, [*program.operations]
        last, fact = operations[seen.place], seen.fact
        history = whole = [each for each in operations if each.step <= last.step]
        if shows and fact is None:
            fact = shows.fact
        if shows and seen.place >= program.own:
            last = replace(shows, step=last.step) if shows.reads else last
            history = [*operations[: program.own], last]
        # What is about another text seldom takes part, nor do calls of the same kind at a time.
        alone = [
            each if each.fact is None else replace(each, fact=fact, count=None, clients=None)
            for each in history
            if each.fact is None or fact in each.facts
        ]
        writes = [each for each in history if each is last or not each.reads]
        for candidate in (alone, writes, history):
            if shown := show(candidate):
                history, violation = candidate, shown
                break
        else:
            if program.clients == 1:
                history = whole
        # One play takes milliseconds, or seconds where each makes a process.
        took = (time.monotonic() - begun) / program.tries
        end = time.monotonic() + min(_MOST_TIDYING, max(_TO_TIDY, _PLAYS * took))
        size = len(history) // 2
        while size and time.monotonic() < end:
            # What shows it is kept.
            for start in range(len(history) - (shows is not None) - size, -1, -size):
                fewer = history[:start] + history[start + size :]
                if time.monotonic() < end and (shown := show(fewer)):
                    history, violation = fewer, shown
            size //= 2
        return violation, history


def _size(program: Program, seen: Violation) -> tuple[int, int]:
    own = min(program.own, seen.place + 1)
    return own, sum(each.count or 1 for each in program.operations[:own])
