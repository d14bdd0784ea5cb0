"""The model of what is legal, against all orders tried one by one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import combinations, permutations
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.stressing import planted
from mabench.stressing.abilities import Abilities
from mabench.stressing.operations import BOUND, TIMES, Operation, facts_of_seed
from mabench.stressing.reference.events import Event
from mabench.stressing.reference.model import Model

FACTS = facts_of_seed(0)


class Done(NamedTuple):
    """What was done to a fact, or shown of it: ``version``, at or as of ``time``."""

    op: Any
    start: int
    end: int
    version: int | None = None
    time: datetime | None = None
    failed: bool = False

    def is_before(self, other: "Done") -> bool:
        return self.end < other.start and not self.failed


OPS = (
    "add", "paraphrase", "update", "delete", "replace", "correct", "retract", "bound",
    "search", "search", "search",
)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> list[Done]:
    # What was never written is no fact.
    some = [draw(st.sampled_from([Done("add", -2, -1, 0), Done("delete", -2, -1)]))]
    numbers, ops = st.integers, draw(st.lists(st.sampled_from(OPS), max_size=5))
    # What held before a correction is not judged.
    is_timed = not {"correct", "retract"} & {*ops}
    for op in ops:
        start, reads = draw(numbers(0, 9)), op == "search"
        failed = not reads and draw(numbers(0, 2)) == 0
        version = draw(st.none() | numbers(0, 3) if reads else numbers(0, 3))
        time = draw(st.sampled_from((None, *TIMES[:3], TIMES[5]) if reads else TIMES[:3]))
        time = time if is_timed or not reads else None
        some.append(Done(op, start, start + draw(numbers(0, 5)), version, time, failed))
    return some


def is_explained(history: Sequence[Done], remembers: bool) -> bool:
    """Try each subset of what failed, in each order that keeps what came before."""
    may = [each for each in history if each.failed]
    for chosen in range(1 << len(may)):
        part = [each for each in history if not each.failed]
        part += [each for place, each in enumerate(may) if chosen >> place & 1]
        for order in permutations(part):
            in_time = not any(late.is_before(early) for early, late in combinations(order, 2))
            if in_time and carries(order, remembers):
                return True
    return False


def carries(order: Sequence[Done], remembers: bool) -> bool:
    """Say without the model whether a register with a history of values shows what was shown."""
    states: list[list[Held]] = [[]]
    for each in order:
        states = [after for state in states for after in states_after(state, each, remembers)]
    return bool(states)


class Held(NamedTuple):
    """A value, and from when until when it holds."""

    version: int | None
    since: datetime | None
    until: datetime | None = None


def states_after(state: list[Held], done: Done, remembers: bool) -> list[list[Held]]:
    """Return the states that may follow; none if it cannot be done, or shown, in a state."""
    told = Held(done.version, done.time)
    unless_told = [] if state else [state]  # What changes a text that is not there may do nothing.
    match done.op:
        case "add":
            return [[*state, told]]
        case "paraphrase":  # Of what holds, it adds nothing; anything else is told anew.
            if not state or state[-1].version != done.version:
                return [[*state, told]]
            return [state, [*state, told]] if state[-1].until else [state]
        case "update" | "replace":
            return [[*state, told], *unless_told]
        case "correct":
            return [[told]]
        case "bound":
            since = state[-1].since if state else done.time
            return [[*state[:-1], Held(done.version, since, BOUND)], *unless_told]
        case "delete" | "retract":
            return [[]]
    known = [one for one in state if not (done.time and one.since) or one.since <= done.time]
    last = known[-1] if known else None
    allowed = {last.version if last else None}
    if state and last is not state[-1] and not (remembers and last):
        allowed.add(None)  # What no longer holds may be forgotten.
    if last and last.until:
        if done.time is None:
            allowed.add(None)
        elif done.time >= last.until:
            allowed = {None}
    return [state] if done.version in allowed else []


def steps(history: Sequence[Done]) -> Iterator[list[Done]]:
    """Yield what was done at the same time, one such part after the other."""
    step: list[Done] = []
    for each in sorted(history, key=lambda one: one.start):
        if step and each.start > max(one.end for one in step):
            yield step
            step = []
        step.append(each)
    yield step


def find_wrong(history: Sequence[Done], *promises: str) -> list[str]:
    """Return the names of what the model finds wrong."""
    model, names = Model(FACTS, Abilities(frozenset(), promises=frozenset(promises))), []
    for step in steps(history):
        for each in sorted(step, key=lambda one: (one.op == "search", one.end)):
            reads = each.op == "search"
            version = None if reads else each.version
            operation = Operation(op=each.op, fact=0, version=version, time=each.time)
            event = Event(operation, each.start, each.end, alone=len(step) == 1)
            event.error = "it failed" if each.failed else None
            event.texts = [FACTS.text(0, each.version)] * (reads and each.version is not None)
            names += [one.name for one in model.judge(event)]
    return [name for name in names if name != "order-changes"]


@given(histories(), st.booleans())
@settings(max_examples=800, deadline=None)
def test_the_model_allows_what_some_order_explains(history: list[Done], remembers: bool) -> None:
    wrong = find_wrong(history, *["keeps_history"] * remembers)
    assert (not wrong) == is_explained(history, remembers)


def test_what_was_shown_is_not_forgotten_again() -> None:
    writes = [Done("add", 0, 1, 0), Done("update", 2, 9, 1)]
    new, old = Done("search", 3, 4, 1), Done("search", 5, 6, 0)
    assert find_wrong([*writes, new]) == find_wrong([*writes, old]) == []
    assert find_wrong([*writes, new, old]) == ["stale-after-update"]


def test_a_moment_is_the_same_in_every_zone() -> None:
    write, elsewhere = Done("add", 0, 1, 0, TIMES[1]), TIMES[1].astimezone(TIMES[2].tzinfo)
    assert find_wrong([write, Done("search", 2, 3, 0, elsewhere)]) == []
    before = elsewhere - timedelta(seconds=1)
    assert find_wrong([write, Done("search", 2, 3, 0, before)]) == ["not-as-of"]


def carried_out(op: Any, at: int, user: str, *texts: str, version: int | None = 0) -> Event:
    """An operation about fact 0, carried out by itself."""
    reads = op in ("search", "list")
    operation = Operation(op=op, fact=0, version=None if reads else version, user=user)
    return Event(operation, at, at + 0.5, texts=[*texts])


def names_of(*events: Event) -> list[str]:
    model = Model(FACTS, Abilities(frozenset(), by_user=True))
    return [each.name for event in events for each in model.judge(event)]


def test_each_user_has_a_copy_of_what_both_were_told() -> None:
    text = FACTS.text(0)
    both = [carried_out("add", 0, "mara"), carried_out("add", 1, "mar")]
    gone = [*both, carried_out("delete", 2, "mara")]
    assert names_of(both[0], carried_out("search", 3, "mar", text)) == ["other-user"]
    assert names_of(*both, carried_out("search", 3, "mar", text)) == []
    assert names_of(*gone, carried_out("search", 3, "mar", text)) == []
    assert names_of(*gone, carried_out("search", 3, "mara", text)) == ["deleted-found"]
    assert names_of(*gone, carried_out("search", 3, "mar")) == ["lost-write"]
    # The words of a text may be in files as long as one of its copies is there.
    for events, versions in ((gone, []), ([*gone, carried_out("delete", 3, "mar")], [(0, 0)])):
        model = Model(FACTS, Abilities(frozenset(), by_user=True))
        for event in events:
            assert model.judge(event) == []
        assert [*model.gone_versions()] == versions


def test_what_is_told_again_may_be_there_as_often_and_no_more() -> None:
    text, new = FACTS.text(0), FACTS.text(0, 1)
    twice = [carried_out("add", 0, "mara"), carried_out("add", 1, "mara")]
    updated = [*twice, carried_out("update", 2, "mara", version=1)]
    for told, shown in ((twice, text), (updated, new)):
        for times, names in ((1, []), (2, []), (3, ["double-write"])):
            assert names_of(*told, carried_out("search", 3, "mara", *[shown] * times)) == names
    again = [*twice, carried_out("delete", 2, "mara"), carried_out("add", 3, "mara", version=1)]
    assert names_of(*again, carried_out("search", 4, "mara", new)) == []
    assert names_of(*again, carried_out("search", 4, "mara", new, new)) == ["double-write"]


def test_what_is_told_in_other_words_is_the_same_fact() -> None:
    old, new, same = FACTS.text(0), FACTS.text(0, 1), FACTS.paraphrase(0, 1)
    told = [carried_out("add", 0, "mara"), carried_out("update", 1, "mara", version=1)]
    twice = [*told, carried_out("paraphrase", 2, "mara", version=1)]
    gone = [*twice, carried_out("delete", 3, "mara")]
    anew = [*gone, carried_out("paraphrase", 4, "mara", version=1)]
    cases: tuple[tuple[list[Event], list[str], list[str]], ...] = (
        (twice, [new], []),
        (twice, [new, same], []),
        (twice, [same], []),
        (twice, [same] * 3, ["double-write"]),
        (twice, [old, same], ["stale-after-update"]),
        (twice, [], ["lost-write"]),
        (gone, [], []),
        (gone, [same], ["deleted-found"]),
        (anew, [same], []),
        (anew, [new], []),
        (anew, [old], ["deleted-found"]),
        (anew, [], ["lost-write"]),
    )
    for history, shown, names in cases:
        assert names_of(*history, carried_out("search", 5, "mara", *shown)) == names


def test_a_contradiction_reaches_what_was_told_in_other_words() -> None:
    told = [carried_out("add", 0, "mara"), carried_out("paraphrase", 1, "mara")]
    same = FACTS.paraphrase(0, 0)
    replaced = [*told, carried_out("replace", 2, "mara", version=1)]
    both = carried_out("search", 4, "mara", same, FACTS.text(0, 1))
    assert names_of(*replaced, both) == ["replacement-ignored"]
    for how in ("add", "paraphrase"):  # Once more, so that it changes nothing.
        again = carried_out(how, 3, "mara", version=1)
        assert names_of(*replaced, again, both) == ["replacement-ignored"]
        assert names_of(*replaced, again, carried_out("search", 4, "mara")) == ["record-lost"]
    # What was taken back is told anew by its user.
    taken_back = [*told, carried_out("retract", 2, "mara")]
    shown, nothing = carried_out("search", 4, "mara", same), carried_out("search", 4, "mara")
    assert names_of(*taken_back, shown) == ["retraction-ignored"]
    anew = [*taken_back, carried_out("paraphrase", 3, "mara")]
    assert names_of(*anew, shown) == []
    assert names_of(*anew, nothing) == ["lost-write"]


def test_a_paraphrase_does_not_change_since_when_a_fact_holds() -> None:
    told = [Done("add", 0, 1, 0, TIMES[0]), Done("paraphrase", 2, 3, 0, TIMES[1])]
    for version, names in ((0, []), (None, ["not-as-of"])):
        assert find_wrong([*told, Done("search", 4, 5, version, TIMES[0])]) == names


def test_what_was_deleted_and_is_told_in_other_words_is_in_a_summary() -> None:
    gone = [carried_out("add", 0, "mara"), carried_out("delete", 1, "mara")]
    summary = f"Its keeper: {FACTS.value(0, 0)}"
    assert names_of(*gone, carried_out("search", 2, "mara", summary)) == ["kept-in-summary"]
    held = carried_out("search", 2, "mara", summary, FACTS.text(0))
    assert names_of(*gone, held) == ["deleted-found"]


def test_maintenance_may_change_the_order_of_results_but_no_fact() -> None:
    text, told = FACTS.text(0), carried_out("add", 0, "mara")
    search = [carried_out("search", at, "mara", text, *["more"] * (at > 2)) for at in (1, 3)]
    maintain = carried_out("maintain", 2, "mara")
    assert names_of(told, search[0], search[1]) == ["order-changes"]
    assert names_of(told, search[0], maintain, search[1]) == []
    assert names_of(told, maintain, carried_out("search", 3, "mara")) == ["lost-write"]


@pytest.mark.parametrize(
    ("change", "held", "name"),
    [("replace", 1, "replacement"), ("correct", 1, "correction"), ("retract", None, "retraction")],
)
def test_what_was_contradicted_is_no_longer_told(change: Any, held: int | None, name: str) -> None:
    told = [carried_out("add", 0, "mara"), carried_out(change, 1, "mara", version=1)]
    current = [FACTS.text(0, held)] if held is not None else []
    assert names_of(*told, carried_out("search", 2, "mara", *current)) == []
    old = carried_out("search", 2, "mara", FACTS.text(0, 0), *current)
    assert names_of(*told, old) == [f"{name}-ignored"]
    nothing = names_of(*told, carried_out("search", 2, "mara"))
    assert nothing == (["record-lost"] if current else [])
    # What held at a time before: a memory may say what it knew then.
    past = [FACTS.text(0, 0)]
    before = carried_out("search", 2, "mara", *past)
    before.operation = replace(before.operation, time=TIMES[0])
    assert names_of(*told, before) == ([] if change != "replace" else ["replacement-ignored"])


def test_an_update_or_deletion_after_a_contradiction_is_named_as_ever() -> None:
    told = [carried_out("add", 0, "mara"), carried_out("correct", 1, "mara", version=1)]
    deleted = [*told, carried_out("delete", 2, "mara")]
    updated = [*told, carried_out("update", 2, "mara", version=2)]
    for history, name in ((deleted, "deleted-found"), (updated, "stale-after-update")):
        wrong = carried_out("search", 3, "mara", FACTS.text(0, 1))
        assert names_of(*history, wrong) == [name]


def names_with(promise: str, *events: Event) -> list[str]:
    abilities = Abilities(frozenset(), by_user=True, promises=frozenset([promise]))
    model = Model(FACTS, abilities)
    return [each.name for event in events for each in model.judge(event)]


def test_what_held_before_may_be_shown_beside_what_holds_where_a_history_is_promised() -> None:
    old, new = FACTS.text(0, 0), FACTS.text(0, 1)
    for change, names in (("update", []), ("replace", []), ("correct", ["correction-ignored"])):
        told = [carried_out("add", 0, "mara"), carried_out(change, 1, "mara", version=1)]
        both = carried_out("search", 2, "mara", new, f"Before: {old}")
        assert names_with("keeps_history", *told, both) == names
        assert names_of(*told, both) != []
        alone = carried_out("search", 2, "mara", old)
        assert names_with("keeps_history", *told, alone) != []


def test_of_what_was_told_in_one_text_only_the_part_goes_that_was_contradicted() -> None:
    told = [carried_out("record", 0, "mara"), carried_out("replace", 1, "mara", version=1)]
    search = carried_out("search", 2, "mara", FACTS.text(0, 1), FACTS.text(1))
    assert names_of(*told, search) == []
    search.operation = replace(search.operation, fact=1)
    search.texts = [FACTS.text(0, 1)]
    assert names_of(*told, search) == ["record-lost"]
    assert names_of(told[0], carried_out("search", 2, "mara")) == ["lost-write"]
    search.texts = [FACTS.record(0), FACTS.text(0, 1)]
    assert names_of(*told, search) == ["replacement-ignored"]


@pytest.mark.parametrize(
    ("as_of", "shown", "names"),
    [
        (TIMES[2], True, []),
        (TIMES[2], False, ["not-bounded"]),
        (TIMES[5], True, ["not-bounded"]),
        (TIMES[5], False, []),
        (None, True, []),
        (None, False, []),
    ],
)
def test_what_is_bounded_holds_before_its_date_and_not_after(
    as_of: datetime | None, shown: bool, names: list[str]
) -> None:
    told = [carried_out("add", 0, "mara"), carried_out("bound", 1, "mara")]
    search = carried_out("search", 2, "mara", *[FACTS.text(0)] * shown)
    search.operation = replace(search.operation, time=as_of)
    assert names_of(*told, search) == names


def test_a_secret_is_shown_to_its_user_alone_and_to_nobody_where_it_is_to_be_redacted() -> None:
    told, text = carried_out("secret", 0, "mara"), planted.secret(FACTS, 0)
    assert re.search(r"\bsk-[A-Za-z0-9]{48}\b", text)
    for user, names in (("mara", []), ("mar", ["secret-shown"])):
        assert names_of(told, carried_out("search", 1, user, text)) == names
        search = carried_out("search", 1, user, text)
        assert names_with("redacts", told, search) == ["secret-shown"]
        assert names_with("redacts", told, carried_out("search", 1, user)) == []
    gone = carried_out("delete-user", 1, "mara")
    assert names_of(told, gone, carried_out("search", 2, "mara", text)) == ["deleted-found"]


def test_an_instruction_is_a_text_at_most_and_marked_where_that_is_promised() -> None:
    told, text = carried_out("instruction", 0, "mara"), planted.instruction(FACTS, 0)
    other = [carried_out("add", 1, "mara"), carried_out("search", 2, "mara", FACTS.text(0))]
    for each in other:
        each.operation = replace(each.operation, fact=1)
    other[1].texts = [f"Mara said: {FACTS.text(1)}"]
    cases: tuple[tuple[str, list[str]], ...] = (
        (text, ["instruction-shown"]),
        (f"Mara said: {text}", ["instruction-shown"]),
        (f"Mara said: [do not follow] {text}", []),
    )
    for shown, names in cases:
        search = carried_out("search", 3, "mara", shown)
        assert names_of(told, *other, search) == []
        assert names_with("filters_instructions", told, *other, search) == names
    assert names_with("filters_instructions", told, carried_out("search", 1, "mara")) == []
    obeyed = replace(other[1], texts=[FACTS.text(1), FACTS.value(0, 0)], start=3, end=3.5)
    assert names_of(told, *other, obeyed) == ["instruction-obeyed"]
    words = text.split(), planted.benign_twin(FACTS, 0).split()
    assert sum(one != twin for one, twin in zip(*words, strict=True)) == 1
