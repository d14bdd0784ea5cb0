"""What was found on a pair of runs, in sentences: the verdicts of a comparison are worded here.

A difference is *shown* if its p, adjusted for all that is tested, is below 0.05. The part of a
question says what became of it, such as *missed* or *misread*; ``PARTS`` has each in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mabench.comparison import MeanDifference, Pair
from mabench.reports.sentences import say
from mabench.results import PARTS, THESE


def describe_findings(
    pair: Pair, a: str, b: str, equal_within: float | None = None
) -> Iterator[str]:
    """Yield what was found on a pair: the verdict on the mean first, then sources and outcomes.

    ``a`` and ``b`` are the names of the runs. ``equal_within`` is how many points apart runs may be
    that count as equal; None if that was not asked.
    """
    yield describe_headline(pair, a, b, equal_within)
    if pair.decided_by:
        yield say("hangs_on", sources=_join_with_or(pair.decided_by))
    if len(pair.sources) > 1:
        yield from _source_findings(pair, a, b)
    for source, differences in pair.parts.items():
        for part, difference in differences.items():
            lost = PARTS[part].lost
            if lost and difference.is_shown:
                yield _part_finding(source, lost, difference, a, b, _of_builds(pair))
    for source, unknown in pair.unknown_parts.items():
        heads = " and ".join(PARTS[part].head for part in unknown)
        yield say("unknown_parts", source=source, parts=heads)


def _source_findings(pair: Pair, a: str, b: str) -> Iterator[str]:
    """Yield on which sources each of two runs is shown to be better."""
    better_on: dict[str, list[str]] = {a: [], b: []}
    for source, difference in pair.sources.items():
        if difference.is_shown and difference.difference != 0:
            better = a if difference.difference > 0 else b
            better_on[better].append(f"{source}{mark_of(difference)}")
    for name, sources in better_on.items():
        if sources:
            yield f"{name} is better on {', '.join(sources)}{_of_builds(pair)}."


def _part_finding(
    source: str, lost: str, difference: MeanDifference, a: str, b: str, builds: str
) -> str:
    """Return which run loses more questions of a source in one way, which ``lost`` says in words.

    ``builds`` says that the finding is on two builds alone; empty if it is not.
    """
    if difference.difference > 0:
        more, less, measure = a, b, difference.measure
    else:
        more, less, measure = b, a, difference.measure.opposite()
    return say(
        "loses_by_part",
        source=source,
        more=more,
        less=less,
        points=measure.value,
        lost=lost,
        interval=measure.range(".1f"),
        builds=builds,
    )


def describe_headline(
    pair: Pair, a: str, b: str, equal_within: float | None = None, on: str | None = None
) -> str:
    """Return the verdict on the mean: who is shown to be better, on which histories, or nobody.

    Args:
        pair: the two runs, which are called ``a`` and ``b``.
        a: the name of the first run.
        b: the name of the second run.
        equal_within: how many points apart runs may be that count as equal, if that was asked.
        on: what the mean is of, as the beginning of a sentence; by default in general words.
    """
    mean, builds = pair.headline, _of_builds(pair)
    on = on or _on_mean(pair)
    if mean.interval is None or mean.detectable is None:
        return say("no_interval", on=on, a=a, b=b, difference=mean.difference, builds=builds)
    histories = "new histories too" if mean.of_new_histories else "these histories"
    if mean.is_shown:
        if mean.difference > 0:
            better, worse, measure = a, b, mean.measure
        else:
            better, worse, measure = b, a, mean.measure.opposite()
        return say(
            "beats",
            on=on,
            better=better,
            worse=worse,
            points=write_difference(measure.value),
            interval=measure.range(".1f"),
            histories=histories,
            builds=builds,
        )
    interval = mean.measure.range("+.1f")
    apart: dict[str, object] = {"a": a, "b": b, "difference": mean.difference, "interval": interval}
    if equal_within is not None and mean.is_equal:
        return say(
            "equal_within", on=on, within=equal_within, histories=histories, builds=builds, **apart
        )
    return say("not_shown", on=on, detectable=mean.detectable, builds=builds, **apart)


def _on_mean(pair: Pair) -> str:
    """Return in general words what the mean of a pair is of."""
    is_mean_of_several = not pair.overall and len(pair.sources) > 1
    return f"On average over {len(pair.sources)} sources" if is_mean_of_several else "Overall"


def write_difference(points: float) -> str:
    """Return a difference other than 0 with one decimal, or with one digit that is not 0."""
    return f"{points:.1f}" if round(points, 1) else f"{points:.1g}"


def mark_of(difference: MeanDifference) -> str:
    """Return the mark of a difference that is known for these histories alone; else nothing."""
    return "" if difference.of_new_histories else THESE


def _of_builds(pair: Pair) -> str:
    """Return a clause on what a finding holds for, if other builds of the runs may differ."""
    return ", of these two builds" if pair.builds_may_differ else ""


def _join_with_or(sources: Sequence[str]) -> str:
    """Return the names of sources as a list: ``a, b or c``."""
    *others, last = sources
    return f"{', '.join(others)} or {last}" if others else last
