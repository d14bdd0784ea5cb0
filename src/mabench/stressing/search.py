"""Searches for violations: Hypothesis draws histories by a seed, and shrinks those that show one.

It must never go on for longer than it may, since a history can take seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mabench.bench.clock import TimeBudget
from mabench.stressing.histories.history import History
from mabench.stressing.histories.seclusion import secluded_hypothesis
from mabench.stressing.operations import spell_out
from mabench.stressing.player import play
from mabench.stressing.reference.observed import Observed
from mabench.stressing.reference.violations import Violation
from mabench.stressing.report import StressFinding
from mabench.stressing.shrinking import shorten
from mabench.stressing.stressed import StressedMemory

_MOST_FINDINGS = 12
# Seconds for which a history may be shrunk: at least, and at most, whatever time is left.
_LEAST_SHRINK_SECONDS, _MOST_SHRINK_SECONDS = 3.0, 12.0


class Witness(NamedTuple):
    """A history, and the violation that it shows."""

    history: History
    violation: Violation

    @property
    def size(self) -> tuple[int, int]:
        """How many operations were drawn up to the one that shows it, and how many facts."""
        operations = min(self.history.drawn, self.violation.position + 1)
        facts = sum(each.count or 1 for each in self.history.operations[:operations])
        return operations, facts


class _TimeUpError(BaseException):
    """Passes through Hypothesis, which catches exceptions."""


class _ViolationError(Exception):
    """Tells Hypothesis that a history shows a violation."""


@dataclass(slots=True)
class ViolationSearch:
    """A search for one violation of each name that is not ``known``."""

    memory: StressedMemory
    strategy: Any  # Of Hypothesis, which draws histories.
    most_histories: int
    own_process: bool  # Whether the memory lives in a process of its own.
    known: set[str]  # To which the names of the findings are added.
    observed: Observed  # To which is added what histories do that are made for the first time.
    until: str | None  # The name of a violation that ends the search, even if it was known before.
    histories: int = 0  # That were carried out, apart from those that shrink one.
    findings: list[StressFinding] = field(default_factory=list)
    _budget: TimeBudget = field(init=False)
    _best: Witness | None = None  # The shortest history that showed something.

    def run(self, seed: int, seconds: float) -> bool:
        """Find violations within some seconds; return whether time sufficed.

        It did if all histories were carried out, or the violation was found that ends the search.
        One history is carried out in any case, unless the time of the whole test is over.
        """
        is_complete, whole = False, self.memory.clock.budget(seconds)
        while len(self.findings) < _MOST_FINDINGS and not (self.histories and whole.is_over()):
            if self.until in self.known:
                return True
            self._budget, self._best = self.memory.clock.budget(whole.seconds_left()), None
            is_complete = self._find_one(seed + len(self.findings))
            if self._best is None:
                break
            self._add_finding(self._best)
        return is_complete

    def _add_finding(self, witness: Witness) -> None:
        """Add the shortest history like one that shows a violation to the findings."""
        seen, history = shorten(self.memory, *witness, self.known)
        operations = spell_out(history, self.memory.facts)
        self.findings.append(
            StressFinding(seen.name, seen.severity, seen.message, operations, self.own_process)
        )
        self.known.add(seen.name)

    def _find_one(self, seed: int) -> bool:
        """Set the best witness of a new violation, if any; return whether time was left."""
        with secluded_hypothesis() as hypothesis:
            settings = hypothesis.settings(
                max_examples=self.most_histories,
                database=None,
                deadline=None,
                phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
                suppress_health_check=[*hypothesis.HealthCheck],
                report_multiple_bugs=False,
                print_blob=False,
                verbosity=hypothesis.Verbosity.quiet,
            )
            # Where nothing would be done, another is drawn, so that as many are carried out as
            # are asked for.
            strategy = self.strategy.filter(lambda history: history.drawn)
            test = hypothesis.seed(seed)(hypothesis.given(strategy)(self._carry_out))
            try:
                settings(test)()
            except _TimeUpError:
                return False
            except (_ViolationError, hypothesis.errors.HypothesisException):
                # One of these is that what was seen once was not seen again.
                return self._best is not None
            return True

    def _carry_out(self, drawn: History) -> None:
        """Carry a history out; tell Hypothesis if it shows the violation that is looked for."""
        best, history = self._best, drawn._replace(own_process=self.own_process)
        if (self.histories and self._budget.is_over()) or self.memory.budget.is_over():
            raise _TimeUpError
        is_new = best is None  # Else it is made while Hypothesis shrinks another.
        for _ in range(1 if is_new else history.tries):
            seen = play(self.memory, history, self.known, self.observed if is_new else None)
            was_whole = seen is not None or not self.memory.budget.is_over()
            if is_new and was_whole:
                self.histories += 1
            if seen and (best is None or seen.name == best.violation.name):
                self._note(Witness(history, seen))
                raise _ViolationError
            if self._budget.is_over():
                raise _TimeUpError

    def _note(self, witness: Witness) -> None:
        """Keep a witness if it is the first or no longer than the best one."""
        if self._best is None:
            seconds = min(self._budget.seconds_left(), _MOST_SHRINK_SECONDS)
            self._budget = self.memory.clock.budget(max(seconds, _LEAST_SHRINK_SECONDS))
        if self._best is None or witness.size <= self._best.size:
            self._best = witness
