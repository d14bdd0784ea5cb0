"""Looking for violations: Hypothesis makes histories by a seed, and shrinks those that show one."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from mabench.errors import require
from mabench.stress_tests.model import Violation
from mabench.stress_tests.operations import READS, Operation
from mabench.stress_tests.playing import Seen
from mabench.stress_tests.programs import Program

Play = Callable[[Program, Collection[str]], Seen | None]
Catch = tuple[Violation, list[Operation]]  # With the shortest history found that shows it.


class _TimeUpError(BaseException):
    """Passes through Hypothesis, which catches exceptions."""


class _ViolationError(Exception):
    pass


@dataclass(slots=True)
class Hunt:
    """A kind of histories, and how they are carried out.

    Attributes:
        programs: the strategy that makes histories.
        play: carries one out, and returns the first violation that is not to be passed over.
        most: how many histories are made, if there is time.
        histories: how many were made.
        complete: whether there was time for all.
    """

    programs: Any
    play: Play
    most: int
    histories: int = 0
    complete: bool = False
    _end: float = field(default=0.0, init=False)

    def find_all(self, seed: int, seconds: float, known: Collection[str]) -> Iterator[Catch]:
        """Yield a finding for each name of a violation that is not known, within some seconds."""
        names = {*known}
        begun = time.monotonic()
        for attempt in range(_MOST_NAMES):
            left = begun + seconds - time.monotonic()
            if left <= 0:
                return
            finding = self._find(seed + attempt, left, names)
            if finding is None:
                return
            names.add(finding[0].name)
            yield finding

    def _find(self, seed: int, seconds: float, known: Collection[str]) -> Catch | None:
        hypothesis = require("hypothesis", "stress")
        best: tuple[Program, Seen] | None = None
        self._end = time.monotonic() + seconds
        self.complete = False

        def carry_out(program: Program) -> None:
            nonlocal best
            if time.monotonic() > self._end:
                raise _TimeUpError
            if not program.own:  # Nothing would be done.
                return
            self.histories += best is None
            for _ in range(tries_of(program) if best else 1):
                seen = self.play(program, known)
                if seen and (best is None or seen.violation.name == best[1].violation.name):
                    if best is None:
                        self._end = max(self._end, time.monotonic() + _TO_SHRINK)
                    if best is None or _size(program, seen) <= _size(*best):
                        best = program, seen
                    raise _ViolationError
                if time.monotonic() > self._end:
                    raise _TimeUpError

        phases = (hypothesis.Phase.generate, hypothesis.Phase.shrink)
        test = hypothesis.settings(
            max_examples=self.most,
            database=None,
            deadline=None,
            phases=phases,
            suppress_health_check=[*hypothesis.HealthCheck],
            report_multiple_bugs=False,
            print_blob=False,
            verbosity=hypothesis.Verbosity.quiet,
        )(hypothesis.seed(seed)(hypothesis.given(self.programs)(carry_out)))
        try:
            test()
            self.complete = True
        except _TimeUpError:
            pass
        except (_ViolationError, hypothesis.errors.HypothesisException):
            # One of these is that what was seen once was not seen again.
            self.complete = best is not None
        return self._tidy(*best, known) if best else None

    def _tidy(self, program: Program, seen: Seen, known: Collection[str]) -> Catch:
        """Return what the history up to what was seen shows, without what takes no part."""
        begun = time.monotonic()

        def show(history: list[Operation]) -> Violation | None:
            program = Program(history, len(history))
            for _ in range(tries_of(program)):
                again = self.play(program, known)
                if again and again.violation.name == violation.name:
                    return again.violation
            return None

        violation, operations = seen.violation, [*program.operations]
        last = operations[seen.place]
        history = [each for each in operations if each.step <= last.step]
        kept = 1 if seen.operation else 0  # What shows it.
        if seen.operation and seen.place >= program.own:
            if seen.operation.op in READS:
                last = replace(seen.operation, step=last.step)
            history = [*operations[: program.own], last]
        fact = violation.fact
        if fact is None and seen.operation:
            fact = seen.operation.fact
        # What is about another text seldom takes part, nor do calls of the same kind at a time.
        alone = [
            each if each.fact is None else replace(each, fact=fact, count=None, clients=None)
            for each in history
            if each.fact is None or fact in each.facts
        ]
        writes = [each for each in history if each is last or each.op not in READS]
        for candidate in (alone, writes, history):
            if shown := show(candidate):
                history, violation = candidate, shown
                break
        else:
            if program.clients == 1 and kept:
                history = [each for each in operations if each.step <= operations[seen.place].step]
        # One play takes milliseconds, or seconds where each makes a process.
        took = (time.monotonic() - begun) / tries_of(program)
        end = time.monotonic() + min(_MOST_TIDYING, max(_TO_TIDY, _PLAYS * took))
        size = len(history) // 2
        while size and time.monotonic() < end:
            for start in range(len(history) - kept - size, -1, -size):
                fewer = history[:start] + history[start + size :]
                if time.monotonic() < end and (shown := show(fewer)):
                    history, violation = fewer, shown
            size //= 2
        return violation, history


def tries_of(program: Program) -> int:
    """Return how often it is carried out to be seen again: several clients seldom do the same."""
    return _TRIES if program.clients > 1 else 1


def _size(program: Program, seen: Seen) -> tuple[int, int]:
    own = min(program.own, seen.place + 1)
    return own, sum(each.count or 1 for each in program.operations[:own])


_MOST_NAMES = 12
_TRIES = 5
_TO_SHRINK = 3.0  # Seconds that a history may be shrunk for, whatever time is left.
# Seconds to leave operations out one by one, where that took too long, or so many plays.
_TO_TIDY, _MOST_TIDYING, _PLAYS = 3.0, 12.0, 20
