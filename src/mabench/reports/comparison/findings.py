"""What was found on a pair of runs, in sentences: the verdicts of a comparison are worded here."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.comparison import MeanDifference, Pair
from mabench.reports.sentences import say
from mabench.results import PARTS, THESE


def describe_findings(
    pair: Pair, a: str, b: str, equal_within: float | None = None
) -> Iterator[str]:
    """Yield what was found on a pair, or that the runs are not shown to differ."""
    yield describe_headline(pair, a, b, equal_within)
    if pair.decided_by:
        yield say("hangs_on", sources=_list_sources(pair.decided_by))
    builds = _of_builds(pair)
    for name, sign in ((a, 1), (b, -1)):
        sources = [
            f"{source}{mark_of(each)}"
            for source, each in pair.sources.items()
            if each.is_shown and each.difference * sign > 0
        ]
        if sources and len(pair.sources) > 1:
            yield f"{name} is better on {', '.join(sources)}{builds}."
    for source, parts in pair.parts.items():
        for part, difference in parts.items():
            if (lost := PARTS[part].lost) and difference.is_shown:
                more, less = (a, b) if difference.difference > 0 else (b, a)
                # The interval is that of "more".
                measure = difference.measure if more == a else difference.measure.opposite()
                named = {"more": more, "less": less, "lost": lost, "builds": builds}
                interval = measure.range(".1f")
                yield say(
                    "loses_by_part", source=source, points=measure.value, interval=interval, **named
                )
    for source, unknown in pair.unknown_parts.items():
        heads = " and ".join(PARTS[part].head for part in unknown)
        yield say("unknown_parts", source=source, parts=heads)


def describe_headline(
    pair: Pair, a: str, b: str, equal_within: float | None = None, on: str | None = None
) -> str:
    """Return the verdict on the mean: who is shown to be better, on which histories, or nobody.

    ``on`` says what the mean is of.
    """
    mean = pair.headline
    several = not pair.overall and len(pair.sources) > 1
    on = on or (f"On average over {len(pair.sources)} sources" if several else "Overall")
    builds = _of_builds(pair)
    if mean.interval is None or mean.detectable is None:
        return say("no_interval", on=on, a=a, b=b, difference=mean.difference, builds=builds)
    histories = "new histories too" if mean.of_new_histories else "these histories"
    if mean.is_shown:
        better, worse = (a, b) if mean.difference > 0 else (b, a)
        measure = mean.measure if better == a else mean.measure.opposite()
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
    apart: dict[str, object] = {"on": on, "a": a, "b": b, "builds": builds}
    apart |= {"difference": mean.difference, "interval": mean.measure.range("+.1f")}
    if equal_within is not None and mean.is_equal:
        return say("equal_within", within=equal_within, histories=histories, **apart)
    return say("not_shown", detectable=mean.detectable, **apart)


def write_difference(points: float) -> str:
    """Return a difference that is not 0, and is never written as if it were."""
    return f"{points:.1f}" if round(points, 1) else f"{points:.1g}"


def mark_of(difference: MeanDifference) -> str:
    """Return the mark of what is known of these histories alone, or nothing."""
    return "" if difference.of_new_histories else THESE


def _of_builds(pair: Pair) -> str:
    return ", of these two builds" if pair.builds_may_differ else ""


def _list_sources(sources: tuple[str, ...]) -> str:
    *others, last = sources
    return f"{', '.join(others)} or {last}" if others else last
