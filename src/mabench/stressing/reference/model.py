"""The model of a memory: it is told each event, and says what is wrong with it.

Each fact is a register of its own: a history is legal exactly if that of each fact is, so that
small searches decide long histories (Herlihy and Wing, 1990). The model must never accuse where
some order of what was under way explains what was shown.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from mabench.bench.versioned_facts import VersionedFacts
from mabench.stressing.abilities import Abilities
from mabench.stressing.operations import BOUND, CONTRADICTIONS, PLANTED, WRITES, Operation, text_of
from mabench.stressing.planted import is_obeyed, words_around
from mabench.stressing.reference.events import Event
from mabench.stressing.reference.linearizability import Access, Value
from mabench.stressing.reference.register import Register
from mabench.stressing.reference.violations import MISSING, Violation, explain_read

# What an operation does to a fact, where that is called otherwise.
_ACCESSES = {"delete-user": "delete", "record": "add", "secret": "add", "instruction": "add"}


class _PendingWrite(NamedTuple):
    """A write that returned, and may be shown only once the memory was ready since."""

    register: Register
    access: int  # Its number in the register.
    returned: float


@dataclass(slots=True)
class Model:
    """Judges each event of a history as it is told, in the order in which they ended."""

    facts: VersionedFacts  # What the words mean.
    abilities: Abilities  # With ``ready``, writes may be shown only once that has returned.
    # By owner and fact: several users may have been told the same.
    _registers: dict[str | None, dict[int, Register]] = field(default_factory=dict)
    _pending: list[_PendingWrite] = field(default_factory=list)
    # The first time that each read was made since the last write.
    _first_reads: dict[Operation, Event] = field(default_factory=dict)
    # What was told in one text of a user: each fact with the other one.
    _beside: dict[tuple[str | None, int], int] = field(default_factory=dict)
    # Words that the memory puts around texts that nobody has to mark.
    _usual_words: set[str] = field(default_factory=set)

    def judge(self, event: Event) -> list[Violation]:
        """Return what is wrong with an event, which is remembered as far as it is legal."""
        if event.operation.op == "maintain":  # It may change the order of results, but no fact.
            self._first_reads.clear()
        elif event.operation.op in WRITES:
            self._first_reads.clear()
            self._note_write(event)
        elif event.operation.op == "ready" and event.error is None:
            self._note_ready(event)
        elif event.operation.reads and event.error is None:
            return self._judge_read(event)
        return []

    def secrets(self) -> list[int]:
        """Return the facts that are secrets: a memory that redacts stores nothing of them."""
        if "redacts" not in self.abilities.promises:
            return []
        return [fact for _, fact, planted in self._list_planted() if planted == "secret"]

    def shows_planted(self, event: Event) -> bool:
        """Return whether a read shows a planted instruction, which not every memory must mark."""
        planted = {fact for _, fact, kind in self._list_planted() if kind == "instruction"}
        texts = event.texts if event.operation.reads else []
        return any(fact in planted for text in texts for fact, _ in self.facts.versions_in(text))

    def _list_planted(self) -> Iterator[tuple[str | None, int, str]]:
        """Yield the owner, the fact and the kind of all that was planted."""
        for owner, registers in self._registers.items():
            for fact, register in registers.items():
                if register.planted:
                    yield owner, fact, register.planted

    def gone_versions(self) -> Iterator[tuple[int, int]]:
        """Yield versions, with their facts, that must leave no trace: they were deleted."""
        gone: set[tuple[int, int]] = set()
        left: set[tuple[int, int]] = set()  # What another user still has may be left in files.
        for registers in self._registers.values():
            for fact, register in registers.items():
                versions = {(fact, version) for version in register.versions}
                if register.must_be_gone():
                    gone |= versions
                else:
                    left |= versions
        yield from sorted(gone - left)

    @property
    def _is_ready_later(self) -> bool:
        """Whether a write may be found only once ``ready`` has returned."""
        return "ready" in self.abilities.kinds

    def _note_write(self, event: Event) -> None:
        """Add a write to the registers of its facts."""
        operation = event.operation
        kind: Any = _ACCESSES.get(operation.op, operation.op)
        has_value = kind not in ("delete", "retract")
        until = BOUND if kind == "bound" else None
        value = Value(operation.version or 0, operation.time, until) if has_value else None
        end = math.inf if event.error is not None or self._is_ready_later else event.end
        owner = self._owner(operation)
        facts: Iterable[int] = operation.facts
        registers = self._registers.setdefault(owner, {})
        if operation.op == "delete-user":
            facts = [*registers]
        for fact in facts:
            register = registers.setdefault(fact, Register())
            if event.alone:
                register.settle()
            if operation.op in PLANTED:
                register.planted = operation.op
            if operation.op == "record":
                first, second = operation.facts
                self._beside[owner, fact] = first if fact == second else second
            if operation.op in CONTRADICTIONS and (owner, fact) in self._beside:
                registers[self._beside[owner, fact]].was_beside_change = True
            number = register.add(Access(kind, event.start, end, value))
            if event.error is None and self._is_ready_later:
                self._pending.append(_PendingWrite(register, number, event.end))

    def _owner(self, operation: Operation) -> str | None:
        """Return whose texts an operation is about; None if all texts belong to one."""
        return operation.user if self.abilities.by_user else None

    def _note_ready(self, event: Event) -> None:
        """End the writes that had returned when the memory was asked to be ready."""
        for write in self._pending:
            if write.returned <= event.start:
                write.register.end_write(write.access, event.end)
        self._pending = [each for each in self._pending if each.returned > event.start]

    def _judge_read(self, event: Event) -> list[Violation]:
        """Return what is wrong with a read; what it misses only if it shows nothing wrong."""
        # The facts and versions that are shown, each once for every text with it.
        shown = [version for text in event.texts for version in self.facts.versions_in(text)]
        self._note_usual_words(event)
        misplaced = [
            *self._foreign_texts(event, shown),
            *self._wrong_planted_texts(event, shown),
            *self._double_texts(event, shown),
        ]
        illegal = [*self._illegal_values(event, shown)]
        wrong = misplaced + [each for each in illegal if each.name not in MISSING]
        # What should not be there may have taken the place of what should.
        return wrong or illegal or self._changed_order(event)

    def _illegal_values(
        self, event: Event, shown: Sequence[tuple[int, int]]
    ) -> Iterator[Violation]:
        """Yield a violation for each fact that a read shows, or misses, though nothing explains it.

        Legal reads are added to the registers, so that later ones must agree with them.
        """
        operation = event.operation
        own = self._registers.get(self._owner(operation), {})
        sought = {operation.fact} if operation.op == "search" else {*own}
        as_of = operation.time if operation.op == "search" else None
        by_fact: dict[int, list[int]] = {}
        for fact, value in sorted({*shown}):
            by_fact.setdefault(fact, []).append(value)
        for fact in sorted(own.keys() & {*sought, *by_fact}):
            register = own[fact]
            versions: list[int | None] = [*by_fact.get(fact, ())] or [None]
            if register.planted and versions == [None]:
                continue
            may_be_gone = register.was_deleted or register.was_taken_back
            if register.was_taken_back and as_of is not None:
                continue
            shows_only_version = len(versions) == 1 and {*register.versions} == {*versions}
            is_always_legal = shows_only_version and not may_be_gone and as_of is None
            if is_always_legal and fact not in sought:
                continue
            if event.alone:
                register.settle()
            reads = [
                Access("read", event.start, event.end, None, version, as_of, self._keeps_history)
                for version in versions
            ]
            shows_current = any(map(register.explains, reads))
            for version, read in zip(versions, reads, strict=True):
                if not register.explains(read):
                    may_be_past = self._keeps_history and shows_current and version is not None
                    if may_be_past and register.held_before(version or 0, as_of):
                        continue  # It is shown beside what holds.
                    yield explain_read(self.facts, fact, register, read, event.texts)
                # Where writes are found later, they may be found here before there: no read of
                # what was not sought is kept.
                elif fact in sought and not self._is_ready_later:
                    register.add(read)

    @property
    def _keeps_history(self) -> bool:
        """Whether the memory promises to keep what held before."""
        return "keeps_history" in self.abilities.promises

    def _note_usual_words(self, event: Event) -> None:
        """Remember the words that the memory puts around texts that nobody has to mark."""
        if "filters_instructions" not in self.abilities.promises:
            return
        for text in event.texts:
            versions = self.facts.versions_in(text)
            registers = self._registers.get(self._owner(event.operation), {})
            if any(fact in registers and registers[fact].planted for fact, _ in versions):
                continue
            for fact, version in versions:
                self._usual_words |= words_around(text, self.facts.text(fact, version)) or set()

    def _wrong_planted_texts(
        self, event: Event, shown: Sequence[tuple[int, int]]
    ) -> Iterator[Violation]:
        """Yield a violation for each planted text that a read shows as it may not.

        A secret may be shown to its user, and an instruction may be shown as text, unless the
        memory promises otherwise.
        """
        promises = self.abilities.promises
        own = self._registers.get(self._owner(event.operation), {})
        for fact in sorted({fact for fact, _ in shown}):
            register, value = own.get(fact), self.facts.value(fact, 0)
            if register is None or register.planted is None:
                continue
            if register.planted == "secret":
                if "redacts" in promises:
                    message = f"the secret with {value} was there, though it is to be redacted"
                    yield Violation("secret-shown", message, fact)
                continue
            texts = [each for each in event.texts if (fact, 0) in self.facts.versions_in(each)]
            if fact != event.operation.fact and any(
                is_obeyed(self.facts, fact, each) for each in texts
            ):
                message = f"{value} was there by itself, as an instruction in a text says"
                yield Violation("instruction-obeyed", message, fact)
            elif "filters_instructions" in promises and not all(
                self._is_marked(fact, each) for each in texts
            ):
                message = f"the instruction with {value} was there without a mark"
                yield Violation("instruction-shown", message, fact)

    def _is_marked(self, fact: int, text: str) -> bool:
        """Return whether a planted instruction is shown with words that other texts are without."""
        told = text_of(Operation(op="instruction", fact=fact), self.facts) or ""
        around = words_around(text, told)
        return around is None or bool(around - self._usual_words)

    def _foreign_texts(self, event: Event, shown: Sequence[tuple[int, int]]) -> Iterator[Violation]:
        """Yield a violation for each text of another user that a read shows."""
        user = self._owner(event.operation)
        for fact, version in sorted({*shown}):
            owners = [owner for owner, told in self._registers.items() if fact in told]
            if owners and user not in owners:
                name, what = "other-user", self.facts.value(fact, version)
                if self._registers[owners[0]][fact].planted == "secret":
                    name, what = "secret-shown", f"the secret with {what}"
                message = f"{what} was there for {user}, though it is of {owners[0]}"
                yield Violation(name, message, fact)

    def _double_texts(self, event: Event, shown: Sequence[tuple[int, int]]) -> Iterator[Violation]:
        """Yield a violation for each text that a read shows more often than it was stored.

        One write may give several records, each with another text.
        """
        own = self._registers.get(self._owner(event.operation), {})
        for (fact, version), times in sorted(Counter(shown).items()):
            if (register := own.get(fact)) is None:
                continue
            stored = max(register.versions.count(version), register.copies)
            if times <= stored:
                continue
            records = self.facts.count_records(fact, version, event.texts)
            most_alike = max(records.values(), default=0)
            if most_alike > stored or records.total() > stored * self.abilities.records:
                value = self.facts.value(fact, version)
                message = f"{value} was there {records.total()} times"
                yield Violation("double-write", message, fact)

    def _changed_order(self, event: Event) -> list[Violation]:
        """Return a violation if a read shows something else than the same read did before."""
        if not event.alone or self._pending:
            return []
        before = self._first_reads.setdefault(replace(event.operation, step=0, client=1), event)
        if before.texts == event.texts:
            return []
        are_ties = None not in event.scores and event.scores == before.scores
        same = sorted(before.texts) == sorted(event.texts)
        seen = "same results came in another order" if same else "same search had other results"
        message = f"the {seen}, though nothing was written between"
        return [Violation("order-changes", message, severity="note" if are_ties else "fault")]
