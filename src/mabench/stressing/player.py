"""Plays a history: carries it out on a fresh memory, and has the model judge what it shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import replace

from mabench.stressing.causes import ViolationCause, possible_causes
from mabench.stressing.execution import Execution
from mabench.stressing.files import find_words
from mabench.stressing.histories.history import History
from mabench.stressing.interleaving import frequent_switches
from mabench.stressing.operations import Operation
from mabench.stressing.reference.events import Event
from mabench.stressing.reference.model import Model
from mabench.stressing.reference.observed import Observed
from mabench.stressing.reference.violations import Violation
from mabench.stressing.stressed import StressedMemory

_NEVER_LATE = ("other-user", "secret-shown", "instruction-obeyed")
_PAUSE_SECONDS = 0.02  # Between two looks at a memory that shows writes later.


def play(
    memory: StressedMemory,
    history: History,
    known: Collection[str] = (),
    observed: Observed | None = None,
) -> Violation | None:
    """Return the first violation in a history whose name is not among the ``known``.

    What is seen only after a certain operation, and not without it, is named after that. What it
    did and showed is added to ``observed``. A UsageError says that the memory cannot be made.
    """
    causes = possible_causes(history)
    unexplained = {name for cause in causes for name in cause.seen_as}
    passed_over = {*known} - unexplained
    seen = _play_once(memory, history, lambda name: name not in passed_over, observed)
    for cause in causes:
        if seen and seen.name in cause.seen_as and _is_due_to(cause, memory, history, seen):
            seen = seen._replace(name=cause.name)
    return None if seen and seen.name in known else seen


def _is_due_to(
    cause: ViolationCause, memory: StressedMemory, history: History, seen: Violation
) -> bool:
    """Return whether a history no longer shows a violation without what may have caused it."""
    without = cause.leave_out(history, seen)
    if without is None:
        return False
    return _play_once(memory, without, lambda name: name == seen.name) is None


def play_until_seen(
    memory: StressedMemory, history: History, name: str | None = None, known: Collection[str] = ()
) -> Violation | None:
    """Return what a history shows in one of its tries, of a name if one is given."""
    for _ in range(history.tries):
        seen = play(memory, history, known)
        if seen and name in (None, seen.name):
            return seen
    return None


def _play_once(
    memory: StressedMemory,
    history: History,
    is_sought: Callable[[str], bool],
    observed: Observed | None = None,
) -> Violation | None:
    """Return the first violation whose name is sought."""
    player = _Player(memory, history, is_sought)
    player.observed = observed or player.observed
    switches = frequent_switches() if history.clients > 1 else nullcontext()
    try:
        with switches:
            return memory.subject.run(player.play())
    finally:
        player.observed.note_history(history.operations[: player.position + 1])
        player.execution.remove_files()


class _Player:
    """Carries one history out once, and judges it step by step."""

    def __init__(
        self, memory: StressedMemory, history: History, is_sought: Callable[[str], bool]
    ) -> None:
        self._memory, self._history, self._is_sought = memory, history, is_sought
        # Whose ids may be no longer valid: another client may have deleted them, or they were
        # deleted before, or another record has taken their place since it says the same.
        outdating = (each for each in history.operations if each.op in ("delete", "paraphrase"))
        self._facts_without_ids = {fact for each in outdating for fact in each.facts}
        self._model = Model(memory.facts, memory.abilities)
        self.execution = Execution(memory, history.clients, history.own_process)
        self.position = -1  # Of the last operation that was begun.
        self.observed = Observed()

    async def play(self) -> Violation | None:
        """Carry the history out on a fresh memory, up to the first violation that is sought."""
        await self.execution.open()
        seen = None
        try:
            for step in self._history.steps():
                if (seen := await self._play_step(step)) or self.execution.is_over():
                    return seen
        finally:
            hangs = seen is not None and seen.name == "hangs"
            await self.execution.close(abandon=hangs)
        self.position = len(self._history.operations) - 1
        return self.first_sought(self._leftovers_on_disk(), self.position)

    def first_sought(
        self, violations: Sequence[Violation], position: int, operation: Operation | None = None
    ) -> Violation | None:
        """Return the first violation that is sought, as seen by an operation at a position."""
        for each in violations:
            if self._is_sought(each.name):
                return each._replace(position=position, operation=operation)
        return None

    def _leftovers_on_disk(self) -> list[Violation]:
        """Return a violation for the first word of a deleted text that is still in a file."""
        if not self._memory.subject.factory.takes_folder:
            return []
        facts = self._memory.facts
        fact_by_word = {facts.value(*gone): gone[0] for gone in self._model.gone_versions()}
        secret_by_word = {facts.value(fact, 0): fact for fact in self._model.secrets()}
        for word, where in find_words(self.execution.folder, secret_by_word):
            message = f"the secret with {word!r} is {where}, though it is to be redacted"
            return [Violation("secret-on-disk", message, secret_by_word[word])]
        for word, where in find_words(self.execution.folder, fact_by_word):
            message = f"{word!r} is still {where} after its text was deleted and the store closed"
            return [Violation("deleted-on-disk", message, fact_by_word[word])]
        return []

    async def _play_step(self, step: dict[int, Operation]) -> Violation | None:
        """Carry out the operations of a step, given by positions, and judge what they showed."""
        self.position = max(step)
        for position, event in await self.execution.carry_out_step(step):
            violations = self._judge(event)
            # A memory that is late may show the rest later, but never another user's texts.
            may_be_late = any(each.name not in _NEVER_LATE for each in violations)
            if event.alone and may_be_late and event.error is None:
                violations = await self._judge_again(event, violations)
            if event.operation.reads:
                self.observed.note_read(violations, self._model.shows_planted(event))
            if seen := self.first_sought(violations, position, event.operation):
                return seen
        return None

    async def _judge_again(self, event: Event, violations: list[Violation]) -> list[Violation]:
        """Read again while a late memory may still catch up, and return what is wrong in the end.

        What is wrong as of a time may be wrong at present too: then that is returned.
        """
        operation = event.operation
        patience = self._memory.clock.budget(self._memory.patience)
        while self._memory.finds_late and violations and not patience.is_over():
            await asyncio.sleep(_PAUSE_SECONDS)
            for again in await self.execution.carry_out(operation):
                violations = self._judge(again)
        if violations and violations[0].name == "not-as-of":
            for present in await self.execution.carry_out(replace(operation, time=None)):
                seen = [each for each in self._judge(present) if each.name != "order-changes"]
                if seen:
                    violations = seen
        return violations

    def _judge(self, event: Event) -> list[Violation]:
        """Return what is wrong with an event: by the model, or since it hangs or fails."""
        operation = event.operation
        if event.hung:
            return [Violation("hangs", f"{operation.op} did not return: {event.error}")]
        violations = self._model.judge(event)
        uses_id = operation.op in ("update", "delete")
        may_fail = uses_id and operation.fact in self._facts_without_ids
        # While the surroundings do not work, no call has to succeed.
        if event.error is None or may_fail or self.execution.is_disturbed:
            return violations
        name = "fails" if event.alone else "fails-under-writes"
        return [Violation(name, f"{operation.op} failed: {event.error}")]
