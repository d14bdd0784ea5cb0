"""Where in the life of a memory the support of a wrong answer was lost, from what was seen.

It was never written, changed, lost later, not found, cut off, or shown and misread: the earliest of
these that is sure counts. What was not looked at, or cannot be known, is never taken for a loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, get_args

from mabench.json_text import IfKnown, JsonRecord, Number
from mabench.results.answers import MISSED
from mabench.results.records.lines import Holding, StageRecord, StoreFacts

_COUNTS = ("reworded", "unsaid", "copies")
_EXAMPLES = 3
_HOLDINGS: tuple[Holding, ...] = get_args(Holding)


def find_stage(hit: int | None, hit_by: str | None, seen: StageRecord | None) -> str:
    """Return the part of a wrong answer.

    Args:
        hit: the rank of the passage that completes the support, 0 if it was not retrieved, and None
            if that is not known.
        hit_by: what a hit is, ``evidence`` or ``mention``; None if that is not known.
        seen: what was seen of the support in the memory; None if nothing was.
    """
    is_cut = seen is not None and seen.shown is False
    if hit and not (seen and _is_hit_of_another(hit_by, seen)):
        return "cut" if is_cut else "misread"
    unknown = "unclear" if hit is None else "missed"
    if seen is None:
        return unknown
    if seen.held == "changed":
        return "lost" if seen.held_first == "whole" else "changed"
    if seen.held == "none":
        return _AFTER_A_LOSS[seen.held_first]
    if is_cut:
        return "cut"
    if seen.held == "unclear":
        return "unclear"
    # With an unknown retrieval, the support may have been found and misread.
    is_there = seen.held == "whole" or bool(seen.rank)
    return "unfound" if is_there and hit == 0 else unknown


def _is_hit_of_another(hit_by: str | None, seen: StageRecord) -> bool:
    """Return whether what was retrieved is not the support, although it counts as a hit.

    A passage may say something else with the same words, or mention the gold for another reason.
    """
    is_lost = seen.held == "none" and seen.by == "evidence" and hit_by == "mention"
    return seen.held == "changed" or is_lost


# By what the store held after it was told what it no longer holds.
_AFTER_A_LOSS = {
    "whole": "lost",
    "changed": "changed",
    "none": "unwritten",
    "unclear": "absent",
    None: "absent",
}


def other_stages(part: str, hit: int | None) -> tuple[str, ...]:
    """Return the parts that a question may have instead, since too little is known of it."""
    if part == "unclear":
        return MISSED if hit == 0 else (*MISSED, "cut", "misread")
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSummary(JsonRecord):
    """What the stores of a source's histories tell beside the questions, added up."""

    histories: int  # How many stores were read.
    records: int  # How many records they listed.
    examined: int  # How many of them were read for the counts below.
    records_per_1000_tokens: IfKnown[float | None] = None  # Null unless whole lists were read.
    reworded: int  # How many records quote no sentence of the history.
    unsaid: int  # How many of these have a name or a number that nobody said; dates aside.
    copies: int  # How many records say, word for word, what another one says.
    # How many hold a value that a newer one replaced, which is held as well, without a mark of
    # time; null where the data do not tell older values.
    undated: IfKnown[int | None] = None
    examples: Mapping[str, tuple[str, ...]]  # The first texts of each of these counts.

    @classmethod
    def of(cls, seen: Iterable[StageRecord]) -> Self | None:
        """Add up the last reading of each history; None if there was none."""
        last_by_history: dict[tuple[str, int], StoreFacts] = {}
        for one in seen:
            if one.store is not None:
                place = one.split, one.row
                last = last_by_history.get(place, one.store)
                last_by_history[place] = max(last, one.store, key=_count_told)
        facts = [*last_by_history.values()]
        if not facts:
            return None
        tokens = [one.told_tokens for one in facts if one.told_tokens]
        records = sum(one.records for one in facts)
        is_whole = len(tokens) == len(facts)
        undated = [one.undated for one in facts if one.undated is not None]
        examples: dict[str, tuple[str, ...]] = {}
        for own in facts:
            for name, texts in own.examples.items():
                examples[name] = (*examples.get(name, ()), *texts)[:_EXAMPLES]
        return cls(
            histories=len(facts),
            records=records,
            examined=sum(one.examined for one in facts),
            records_per_1000_tokens=1000 * records / sum(tokens) if is_whole else None,
            **{name: sum(getattr(one, name) for one in facts) for name in _COUNTS},
            undated=sum(undated) if undated else None,
            examples=examples,
        )


def _count_told(facts: StoreFacts) -> int:
    """Return what grows from one reading of a store to the next: tokens told, or else records."""
    return facts.told_tokens or facts.records


@dataclass(frozen=True, slots=True, kw_only=True)
class StagesSummary(JsonRecord):
    """What was looked at to tell where the support of a source's questions was lost."""

    questions: int  # For how many questions it was looked for.
    by: str  # How it is known: ``evidence``, or ``mention`` if that is so for any question.
    listed: int  # For how many the records of the memory were read.
    followed: int  # For how many they were also read right after the memory was told the support.
    records: IfKnown[int | None] = None  # The largest number of records that was read at a time.
    cut_lists: IfKnown[int | None] = None  # For how many the list was visibly cut; null for none.
    searched: int  # For how many a deeper search was made.
    depth: IfKnown[int | None] = None  # How many passages it asked for.
    calls: int  # How often memories were called for that.
    seconds: Number  # How long that took; no other time includes it.
    commonest_error: IfKnown[str | None] = None  # Why a store could not be read, most often.
    judged: IfKnown[int | None] = None  # About how many records a model was asked; null for none.
    # For how many questions of each type, right or wrong, the store held the support `whole`,
    # `changed`, not at all (`none`) or in words that no rule can tell (`unclear`): right after it
    # was told, or at the question if it was read only then. A type is empty if there are none.
    held: IfKnown[Mapping[str, Mapping[str, int]] | None] = None
    store: IfKnown[StoreSummary | None] = None  # What else the stores tell.

    @classmethod
    def of(cls, seen: Iterable[StageRecord]) -> Self | None:
        """Add up what was seen of some questions; None if that is nothing."""
        records = list(seen)
        if not records:
            return None
        errors = [one.error for one in records if one.error]
        return cls(
            questions=len(records),
            by="mention" if any(one.by == "mention" for one in records) else "evidence",
            listed=sum(one.records is not None for one in records),
            followed=sum(one.held_first is not None for one in records),
            records=max((one.records for one in records if one.records is not None), default=None),
            cut_lists=sum(one.list_cut for one in records) or None,
            searched=sum(one.rank is not None for one in records),
            depth=max((one.depth for one in records if one.depth is not None), default=None),
            calls=sum(one.calls or 0 for one in records),
            seconds=round(sum(float(one.seconds or 0) for one in records), 6),
            commonest_error=max(errors, key=errors.count, default=None),
            judged=sum(one.judged or 0 for one in records) or None,
            held=_count_held(records) or None,
            store=StoreSummary.of(records),
        )


def _count_held(records: Sequence[StageRecord]) -> Mapping[str, Mapping[str, int]]:
    """Count by type of question what the stores held first of their support, where it is known."""
    counts: dict[str, Counter[str]] = {}
    for one in records:
        if first := one.held_first or one.held:
            counts.setdefault(one.question_type or "", Counter())[first] += 1
    return {
        kind: {held: count[held] for held in _HOLDINGS} for kind, count in sorted(counts.items())
    }
