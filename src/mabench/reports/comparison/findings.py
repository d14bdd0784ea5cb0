"""What was found on a pair of runs, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.comparison import Pair
from mabench.reports.sentences import say
from mabench.results import PARTS, THESE
from mabench.uncertainty import ALPHA


def describe_findings(pair: Pair, a: str, b: str) -> Iterator[str]:
    """Yield what was found on a pair, or that the runs cannot be told apart."""
    mean = pair.headline
    several = not pair.overall and len(pair.sources) > 1
    on = f"On average over {len(pair.sources)} sources" if several else "Overall"
    better, worse = (a, b) if mean.difference > 0 else (b, a)
    points = abs(mean.difference)
    new = mean.of_new_histories
    limits = mean.new_histories if new else mean.these_histories
    if mean.adjusted_p < ALPHA and limits:
        sign = 1 if mean.difference > 0 else -1
        low, high = sorted((sign * limits.low, sign * limits.high))
        known = {"points": points, "low": low, "high": high, "mark": "" if new else THESE}
        histories = "new histories too" if new else "these histories"
        yield say("beats", on=on, better=better, worse=worse, histories=histories, **known)
    else:
        yield say("cannot_tell", on=on, a=a, b=b, points=points, detectable=mean.detectable)
    for name, sign in ((a, 1), (b, -1)):
        sources = [
            source
            for source, each in pair.sources.items()
            if each.adjusted_p < ALPHA and each.difference * sign > 0
        ]
        if sources and len(pair.sources) > 1:
            yield f"{name} is better on {', '.join(sources)}."
    for source, parts in pair.parts.items():
        for part, difference in parts.items():
            if (lost := PARTS[part].lost) and difference.adjusted_p < ALPHA:
                more, less = (a, b) if difference.difference > 0 else (b, a)
                # The interval is that of "more".
                measure = difference.measure if more == a else difference.measure.opposite()
                named = {"more": more, "less": less, "lost": lost, "points": measure.value}
                yield say("loses_by_part", source=source, interval=measure.range(".1f"), **named)
    for source, unknown in pair.unknown_parts.items():
        heads = " and ".join(PARTS[part].head for part in unknown)
        yield say("unknown_parts", source=source, parts=heads)
