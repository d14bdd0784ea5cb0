"""Looking for violations: Hypothesis makes histories by a seed, and shrinks those that show one."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

from mabench.errors import require
from mabench.stress_tests.model import Violation
from mabench.stress_tests.operations import READS, Operation, Program
from mabench.stress_tests.playing import Seen, play
from mabench.stress_tests.report import Tried
from mabench.stress_tests.subject import Subject

_Catch = tuple[Violation, list[Operation]]  # With the shortest history found that shows it.


class HistoryKind(NamedTuple):
    """A kind of histories."""

    name: str
    programs: Any  # The strategy that makes them,
    most: int  # so many, if there is time.
    elsewhere: bool  # Whether the memory lives in a process of its own.


class _TimeUpError(BaseException):
    """Passes through Hypothesis, which catches exceptions."""


class _ViolationError(Exception):
    pass


def hunt(
    kind: HistoryKind, subject: Subject, seed: int, seconds: float, known: set[str]
) -> tuple[list[_Catch], Tried]:
    """Return a catch for each name of a violation that is not ``known``, within some seconds.

    One history is made in any case, unless all is over.
    """
    catches: list[_Catch] = []
    histories, complete, end = 0, False, time.monotonic() + seconds
    while len(catches) < _MOST_NAMES and (not histories or time.monotonic() < end):
        names = known | {violation.name for violation, _ in catches}
        one = _Hunt(kind, subject, names, end, histories)
        complete = one.go(seed + len(catches))
        histories = one.histories
        if one.best is None:
            break
        catches.append(one.tidy(*one.best))
    return catches, Tried(kind.name, histories, complete)


class _Hunt:
    """A search for a violation of a name that is not known, up to a moment."""

    def __init__(
        self, kind: HistoryKind, subject: Subject, known: set[str], end: float, histories: int
    ) -> None:
        self._kind, self._subject, self._known, self._end = kind, subject, known, end
        self.histories = histories  # That were made, until one showed something.
        self.best: tuple[Program, Seen] | None = None  # The shortest history that did.

    def go(self, seed: int) -> bool:
        """Search; return whether there was time for all."""
        hypothesis = require("hypothesis", "stress")
        phases = (hypothesis.Phase.generate, hypothesis.Phase.shrink)
        test = hypothesis.settings(
            max_examples=self._kind.most,
            database=None,
            deadline=None,
            phases=phases,
            suppress_health_check=[*hypothesis.HealthCheck],
            report_multiple_bugs=False,
            print_blob=False,
            verbosity=hypothesis.Verbosity.quiet,
        )(hypothesis.seed(seed)(hypothesis.given(self._kind.programs)(self._carry_out)))
        try:
            test()
        except _TimeUpError:
            return False
        except (_ViolationError, hypothesis.errors.HypothesisException):
            # One of these is that what was seen once was not seen again.
            return self.best is not None
        return True

    def _carry_out(self, program: Program) -> None:
        subject, best = self._subject, self.best
        if (self.histories and time.monotonic() > self._end) or subject.is_over(subject.until):
            raise _TimeUpError
        if not program.own:  # Nothing would be done.
            return
        for _ in range(program.tries if best else 1):
            seen = self._play(program)
            whole = seen is not None or not subject.is_over(subject.until)
            self.histories += best is None and whole
            if seen and (best is None or seen.violation.name == best[1].violation.name):
                if best is None:
                    self._end = max(self._end, time.monotonic() + _TO_SHRINK)
                if best is None or _size(program, seen) <= _size(*best):
                    self.best = program, seen
                raise _ViolationError
            if time.monotonic() > self._end:
                raise _TimeUpError

    def _play(self, program: Program) -> Seen | None:
        return play(self._subject, program, self._known, self._kind.elsewhere)

    def tidy(self, program: Program, seen: Seen) -> _Catch:
        """Return what the history up to what was seen shows, without what takes no part."""
        begun = time.monotonic()

        def show(history: list[Operation]) -> Violation | None:
            program = Program(history, len(history))
            for _ in range(program.tries):
                again = self._play(program)
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
                history = [each for each in operations if each.step <= last.step]
        # One play takes milliseconds, or seconds where each makes a process.
        took = (time.monotonic() - begun) / program.tries
        end = time.monotonic() + min(_MOST_TIDYING, max(_TO_TIDY, _PLAYS * took))
        size = len(history) // 2
        while size and time.monotonic() < end:
            for start in range(len(history) - kept - size, -1, -size):
                fewer = history[:start] + history[start + size :]
                if time.monotonic() < end and (shown := show(fewer)):
                    history, violation = fewer, shown
            size //= 2
        return violation, history


def _size(program: Program, seen: Seen) -> tuple[int, int]:
    own = min(program.own, seen.place + 1)
    return own, sum(each.count or 1 for each in program.operations[:own])


_MOST_NAMES = 12
_TO_SHRINK = 3.0  # Seconds that a history may be shrunk for, whatever time is left.
# Seconds to leave operations out one by one, where that took too long, or so many plays.
_TO_TIDY, _MOST_TIDYING, _PLAYS = 3.0, 12.0, 20
