"""The synthetic data sets by name: which rows they hold, how long, with how many questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType

from mabench.data.inventory import BY_NAME, SOURCES, Source
from mabench.errors import UsageError
from mabench.synthesis.detective import rows as detective
from mabench.synthesis.facts import factconsolidation
from mabench.synthesis.icl import rows as icl
from mabench.synthesis.longmemeval import rows as longmemeval
from mabench.synthesis.orders import Knob, Order, settled
from mabench.synthesis.recsys import rows as recsys
from mabench.synthesis.story import eventqa, infbench
from mabench.synthesis.world import ruler

FAMILIES: Mapping[str, ModuleType] = {
    "ruler": ruler,
    "longmemeval": longmemeval,
    "eventqa": eventqa,
    "icl": icl,
    "recsys": recsys,
    "infbench": infbench,
    "detective": detective,
    "factconsolidation": factconsolidation,
}

# The ends of names that tell a source's length and nothing else.
_LENGTHS = ("6k", "32k", "64k", "262k", "full", "65536", "131072")
# What `synthetic:small` holds of a source: rows, tokens of a row, questions of a row.
_SMALL = {
    "ruler_qa1_197K": (1, 9_000, 25),
    "ruler_qa2_421K": (1, 9_000, 25),
    "eventqa_full": (1, 9_000, 20),
    "longmemeval_s*": (1, 20_000, 24),
    "recsys_redial_full": (1, 18_000, 20),
    "icl_banking77_5900shot_balance": (1, 12_000, 40),
    "icl_trec_coarse_6600shot_balance": (1, 8_000, 30),
    "infbench_sum_eng_shots2": (2, 6_000, 1),
    "detective_qa": (2, 6_000, 8),
    "factconsolidation_mh_6k": (1, 6_000, 40),
    "factconsolidation_sh_6k": (1, 6_000, 40),
}
# A shorter factconsolidation row would not hold its questions.
_SHORTEST = 4_000
# The ten rows of detective_qa have 71 questions in all, six to ten each.
_DETECTIVE_QUESTIONS = (6, 7, 7, 8, 6, 7, 10, 6, 8, 6)


def knobs_of(source: str) -> tuple[Knob, ...]:
    """Return the knobs of a source's family."""
    knobs: tuple[Knob, ...] = FAMILIES[BY_NAME[source].family].KNOBS
    return knobs


def sources_named(name: str, tokens: int | None = None) -> list[str]:
    """Return the sources that a name means: one source, or all whose names begin with it.

    Sources that differ in length only, such as ``factconsolidation_mh``, become the one nearest
    to ``tokens`` when that is given.

    Raises:
        UsageError: when there is none.
    """
    if name in BY_NAME:
        return [name]
    groups: dict[str, list[Source]] = {}
    for source in SOURCES:
        if name == "all" or source.name.startswith(f"{name}_") or source.family == name:
            stem, _, size = source.name.rpartition("_")
            groups.setdefault(stem if size in _LENGTHS else source.name, []).append(source)
    if not groups:
        raise UsageError(f"no source is named {name!r}; `mabench sources` lists the 22")
    if tokens is not None:
        groups = {stem: [_nearest(group, tokens)] for stem, group in groups.items()}
    return [source.name for group in groups.values() for source in group]


def _nearest(group: list[Source], tokens: int) -> Source:
    return min(group, key=lambda source: abs(source.context_tokens - tokens))


def order_rows(
    source: str,
    seed: int,
    *,
    tokens: int | None = None,
    rows: int | None = None,
    questions: int | None = None,
    knobs: Mapping[str, int | float] | None = None,
) -> Iterator[Order]:
    """Yield the orders for rows of a source; what is not said is as on the hub.

    Args:
        source: the source.
        seed: the seed.
        tokens: length of each context, in o200k_base tokens.
        rows: how many rows.
        questions: how many questions each row has.
        knobs: values by name; the others have their defaults.

    Raises:
        UsageError: when a knob is unknown or out of range, or a number is not positive.
    """
    for what, number in (("tokens", tokens), ("rows", rows), ("questions", questions)):
        if number is not None and number < 1:
            raise UsageError(f"{what} must be at least 1, not {number}")
    known = BY_NAME[source]
    values = settled(knobs_of(source), knobs or {})
    for row in range(known.rows if rows is None else rows):
        yield Order(
            source,
            seed,
            row,
            known.context_tokens if tokens is None else tokens,
            _questions(known, row) if questions is None else questions,
            values,
        )


def order_sources(
    names: Iterable[str],
    seed: int,
    *,
    tokens: int | None = None,
    rows: int | None = None,
    questions: int | None = None,
    knobs: Mapping[str, int | float] | None = None,
) -> list[Order]:
    """Return the orders for rows of sources and families, in the order of the hub.

    Arguments are as for ``order_rows``, but a knob goes to those families that know it.

    Raises:
        UsageError: when a name or a value is wrong, or no family asked for knows a knob.
    """
    chosen = knobs or {}
    asked = {source for name in names for source in sources_named(name, tokens)}
    known = {source: {knob.name for knob in knobs_of(source)} for source in asked}
    for name in chosen:
        if not any(name in of_source for of_source in known.values()):
            there = ", ".join(sorted(set().union(*known.values()))) or "none"
            raise UsageError(f"no source asked for has a knob {name!r}; known: {there}")
    return [
        order
        for source in SOURCES
        if source.name in asked
        for order in order_rows(
            source.name,
            seed,
            tokens=tokens,
            rows=rows,
            questions=questions,
            knobs={k: v for k, v in chosen.items() if k in known[source.name]},
        )
    ]


def small_orders(seed: int) -> Iterator[Order]:
    """Yield the orders of `synthetic:small`: rows of all eight families, half a megabyte."""
    for source in SOURCES:
        if source.name in _SMALL:
            rows, tokens, questions = _SMALL[source.name]
            yield from order_rows(source.name, seed, tokens=tokens, rows=rows, questions=questions)


def medium_orders(seed: int) -> Iterator[Order]:
    """Yield the orders of `synthetic:medium`: all 22 sources, about a tenth of the whole.

    A source keeps one row in ten, but at least one, and its rows are shorter where that is still
    more than a tenth. Each row has half its questions.
    """
    for source in SOURCES:
        rows = -(-source.rows // 10)
        tokens = source.context_tokens * source.rows // (10 * rows)
        questions = max(1, _questions(source, 0) // 2)
        yield from order_rows(
            source.name, seed, tokens=max(_SHORTEST, tokens), rows=rows, questions=questions
        )


def full_orders(seed: int) -> Iterator[Order]:
    """Yield the orders of `synthetic:full`: the inventory of the hub, row by row."""
    for source in SOURCES:
        yield from order_rows(source.name, seed)


PLANS = {"small": small_orders, "medium": medium_orders, "full": full_orders}


def _questions(source: Source, row: int) -> int:
    if source.family == "detective":
        return _DETECTIVE_QUESTIONS[row % len(_DETECTIVE_QUESTIONS)]
    return source.questions // source.rows
