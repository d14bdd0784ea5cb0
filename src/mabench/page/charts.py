"""Charts as static SVG with real text: rows of dots with intervals, rows of bars, and curves.

Altair describes a chart and vl-convert draws it, once wide and once narrow. Colours are drawn as
marks that stand for variables of the page's style sheet, so that one drawing serves light and
dark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from types import ModuleType
from typing import Any, NamedTuple

from mabench.errors import require
from mabench.printable import printable
from mabench.reports.tables import Table
from mabench.results import PARTS, Limits

_WIDE, _NARROW = 850, 300
# All of one width, so that what vl-convert measures holds wherever the page is opened.
_FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"
_INK, _MUTED, _LINE, _CARD, _GOOD, _BAD = (f"#01020{number}" for number in range(3, 9))
_SERIES = tuple(f"#02030{number}" for number in range(1, 7))
_NAMES = ("ink", "muted", "line", "card", "good", "bad", *(f"series-{n}" for n in range(1, 7)))
_VARIABLES = dict(zip((_INK, _MUTED, _LINE, _CARD, _GOOD, _BAD, *_SERIES), _NAMES, strict=True))
_COLOUR = re.compile(rf'(?<=(?:fill|roke)=")(?:{"|".join(_VARIABLES)})(?=")')
_SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")
# Of what becomes of questions.
_OF_PARTS = (_GOOD, _SERIES[2], _SERIES[1], _SERIES[3], _BAD, _SERIES[5], _MUTED)
_PARTS = {part.head: look for part, look in zip(PARTS.values(), _OF_PARTS, strict=True)}
_POINT = {"size": 62, "filled": True, "opacity": 1}
_LABEL_WIDTH = 230
_CHARACTER = 6.4  # The mean width of a character, in pixels.


class Dot(NamedTuple):
    """A figure in a row or on a curve, with its intervals; ``text`` stands beside the row."""

    label: str
    series: str
    value: float
    these: Limits | None = None
    new: Limits | None = None
    text: str = ""

    def as_dict(self) -> dict[str, str | float | None]:
        """Return the dot as a chart's data."""
        texts = {name: printable(getattr(self, name)) for name in ("label", "series", "text")}
        low, high = self.these or (None, None)
        low_wide, high_wide = self.new or (None, None)
        ends = {"low": low, "high": high, "low_wide": low_wide, "high_wide": high_wide}
        return {"value": self.value, **texts, **ends}


class Scale(NamedTuple):
    """The axis of values: its title and its ends."""

    title: str
    low: float = 0
    high: float = 100
    log: bool = False

    @classmethod
    def logarithmic(cls, title: str, dots: Sequence[Dot]) -> Scale:
        """Return a logarithmic axis in whole powers of ten that has room for some dots."""
        ends = [end for dot in dots for end in (dot.value, *(dot.new or ()))]
        low, high = floor(log10(min(ends))), ceil(log10(max(ends)))
        return cls(title, 10**low, 10 ** max(high, low + 1), log=True)


# A chart as SVG, for wide windows and for narrow ones.
_Drawn = tuple[str, str]


def draw_rows(dots: Sequence[Dot], scale: Scale, lanes: Mapping[str, int] | None = None) -> _Drawn:
    """Draw a row for each label with a dot for each series, on its own line but for ``lanes``."""
    alt = require("altair", "page")
    names = dict.fromkeys(dot.series for dot in dots)
    lane_of = lanes or {name: lane for lane, name in enumerate(names)}
    values = [{**dot.as_dict(), "lane": lane_of[dot.series]} for dot in dots]
    labels = [*dict.fromkeys(str(value["label"]) for value in values)]
    count, longest = max(lane_of.values()) + 1, max(len(dot.text) for dot in dots)
    text_width = round(_CHARACTER * longest) + 16 if longest else 12

    def draw(narrow: bool) -> str:
        # Where it is narrow, the label of a row stands above its lanes.
        above, below = (34, 10) if narrow else (15, 15)
        step = above + 17 * (count - 1) + below
        width = _NARROW - text_width - 8 if narrow else _WIDE - _LABEL_WIDTH - text_width
        ends = {"domain": [*range(count)], "range": [above, step - below]}
        offset = alt.YOffset("lane:N", scale=alt.Scale(type="point", padding=0, **ends))
        place = {"y": _bands(alt, labels, narrow), "yOffset": offset}
        base = alt.Chart(alt.Data(values=values)).encode(**place)
        axes, looks = _axes(alt, scale, narrow), _looks(alt, dots, _NARROW if narrow else _WIDE)
        layers = [
            _ends(base, "x", alt.X("low_wide:Q", **axes), looks, strokeWidth=1.25),
            _ends(base, "x", alt.X("low:Q", **axes), looks, strokeWidth=4, opacity=0.55),
            base.mark_point(**_POINT).encode(x=alt.X("value:Q", **axes), **looks),
        ]
        if longest:
            texts = base.mark_text(align="left", fontSize=12, fill=_INK, baseline="middle")
            layers.append(texts.encode(x=alt.value(width + 14), text="text:N"))
        if narrow:
            layers.append(_labels_above(alt, labels, place["y"]))
        return _draw(alt, layers, width, step * len(labels))

    return draw(narrow=False), draw(narrow=True)


def draw_parts(table: Table) -> _Drawn:
    """Draw a bar for each row of a table of what becomes of 100 questions."""
    alt = require("altair", "page")
    bars: list[dict[str, Any]] = []
    for label, *numbers in table.values:
        end = 0
        for column, number in zip(table.columns[1:], numbers, strict=True):
            if isinstance(number, int) and number:
                start, end = end, end + number
                ends = {"start": start, "end": end, "middle": (start + end) / 2, "number": number}
                bars.append({"label": printable(str(label)), "part": column.title, **ends})
    labels = [*dict.fromkeys(bar["label"] for bar in bars)]
    parts = [part for part in _PARTS if any(bar["part"] == part for bar in bars)]
    colours = alt.Scale(domain=parts, range=[_PARTS[part] for part in parts])
    axis = alt.Axis(title="of 100 questions", tickCount=5, format="~f", grid=False)
    x = alt.X("start:Q", scale=alt.Scale(domain=[0, 100], nice=False), axis=axis)

    def draw(narrow: bool) -> str:
        above, height = (20, 22) if narrow else (4, 22)
        step, shift = above + height + 4, (above - 4) / 2
        width, whole = (_NARROW - 8, _NARROW) if narrow else (_WIDE - _LABEL_WIDTH - 12, _WIDE)
        y = _bands(alt, labels, narrow)
        colour = alt.Color("part:N", scale=colours, legend=_legend(alt, parts, whole))
        base = alt.Chart(alt.Data(values=bars)).encode(y=y)
        text = {"fontSize": 12, "fill": _CARD, "baseline": "middle", "yOffset": shift}
        # For two digits, with room beside them.
        numbers = base.mark_text(**text).transform_filter(f"datum.number > {2000 / width}")
        shape = base.mark_bar(stroke=_CARD, size=height, yOffset=shift)
        layers = [
            shape.encode(x=x, x2="end:Q", color=colour),
            numbers.encode(x="middle:Q", text="number:Q"),
        ]
        if narrow:
            layers.append(_labels_above(alt, labels, y))
        return _draw(alt, layers, width, step * len(labels))

    return draw(narrow=False), draw(narrow=True)


def draw_curves(dots: Sequence[Dot], labels: Sequence[str], along: str, scale: Scale) -> _Drawn:
    """Draw a curve for each series, with intervals, over labels, whose title is ``along``.

    Where a series has no dot, its line ends.
    """
    alt = require("altair", "page")
    named = [*map(printable, labels)]
    series = [*dict.fromkeys(printable(dot.series) for dot in dots)]
    axis = alt.Axis(title=printable(along), labelAngle=0, grid=False, labelOverlap=True)
    points = alt.Scale(type="point", padding=0.4, domain=named)
    place = {"x": alt.X("label:N", sort=None, axis=axis, scale=points)}
    if len(series) > 1:
        apart = alt.Scale(type="point", range=[-8, 8], domain=series)
        place["xOffset"] = alt.XOffset("series:N", sort=series, scale=apart)
    values, drawn = list[dict[str, object]](), Counter[str]()
    for dot in dots:
        at = named.index(printable(dot.label))
        # The piece is the same for dots without a gap between them.
        values.append({**dot.as_dict(), "place": at, "piece": at - drawn[dot.series]})
        drawn[dot.series] += 1

    def draw(width: int) -> str:
        curve = {"detail": "piece:N", "order": alt.Order("place:Q")}
        return _draw(alt, _upright(alt, dots, values, place, scale, width, curve), width, 230)

    return draw(_WIDE - 70), draw(_NARROW - 44)


def draw_points(dots: Sequence[Dot], along: str, scale: Scale) -> str:
    """Draw a point with its interval for each dot, at the number that its label is."""
    alt = require("altair", "page")
    values = [{**dot.as_dict(), "at": float(dot.label)} for dot in dots]
    x = alt.X("at:Q", title=printable(along), axis=alt.Axis(tickCount=6, grid=False))
    return _draw(alt, _upright(alt, dots, values, {"x": x}, scale, _WIDE), _WIDE - 70, 320)


def _upright(
    alt: ModuleType,
    dots: Sequence[Dot],
    values: Sequence[Mapping[str, object]],
    place: Mapping[str, Any],
    scale: Scale,
    width: int,
    curve: Mapping[str, Any] | None = None,
) -> list[Any]:
    """Return the marks of dots over what is told from left to right, joined by a ``curve``."""
    base = alt.Chart(alt.Data(values=values)).encode(**place)
    axes, looks = _axes(alt, scale, narrow=False), _looks(alt, dots, width)
    y = alt.Y("value:Q", **axes)
    line = base.mark_line(strokeWidth=2).encode(y=y, color=looks["color"], **(curve or {}))
    return [
        _ends(base, "y", alt.Y("low:Q", **axes), looks, strokeWidth=4, opacity=0.4),
        *([line] if curve else []),
        base.mark_point(**_POINT).encode(y=y, **looks),
    ]


def _ends(base: Any, across: str, low: Any, looks: Mapping[str, Any], **style: float) -> Any:
    """Return the marks of intervals, thick ones with round ends, where there are any."""
    begin = low.shorthand.removesuffix(":Q")
    high = {across: low, f"{across}2": f"{begin.replace('low', 'high')}:Q"}
    round_ends = {"strokeCap": "round"} if "opacity" in style else {}
    rule = base.mark_rule(**style, **round_ends).transform_filter(f"isValid(datum.{begin})")
    return rule.encode(**high, color=looks["color"])


def _axes(alt: ModuleType, scale: Scale, narrow: bool) -> dict[str, object]:
    ends, steps = alt.Scale(domain=[scale.low, scale.high]), {}
    if scale.log:  # 1, 2 and 5 in each power of ten, or where there is little room 1 alone.
        ends = alt.Scale(type="log", domain=[scale.low, scale.high])
        powers = range(round(log10(scale.low)), round(log10(scale.high)) + 1)
        digits = (1,) if narrow or len(powers) >= 5 else (1, 2, 5)
        numbers = [digit * 10.0**power for power in powers for digit in digits]
        steps = {"values": [number for number in numbers if scale.low <= number <= scale.high]}
    ticks = 4 if narrow else 6
    title, overlap = printable(scale.title), not steps
    axis = alt.Axis(title=title, tickCount=ticks, format=",~f", labelOverlap=overlap, **steps)
    return {"scale": ends, "axis": axis}


def _bands(alt: ModuleType, labels: Sequence[str], narrow: bool) -> Any:
    """Return the rows of a chart; where it is narrow, their labels are drawn above them."""
    names = alt.Axis(
        title=None, labelLimit=_LABEL_WIDTH - 16, ticks=False, domain=False, labelPadding=12
    )
    bands = alt.Scale(paddingOuter=0, paddingInner=0)
    return alt.Y("label:N", sort=labels, axis=None if narrow else names, scale=bands)


def _labels_above(alt: ModuleType, labels: Sequence[str], y: object) -> Any:
    rows = alt.Chart(alt.Data(values=[{"label": label} for label in labels]))
    text = rows.mark_text(align="left", fontSize=12, fill=_INK, baseline="top", limit=_NARROW - 8)
    # From the middle of the row, in which a mark stands, to its upper edge.
    return text.encode(y=y, yOffset=alt.value(4), x=alt.value(0), text="label:N")


def _legend(alt: ModuleType, series: Sequence[str], width: int) -> Any:
    if len(series) < 2:
        return None
    columns = max(1, int(width // (_CHARACTER * min(40, max(map(len, series))) + 40)))
    looks = {"labelLimit": min(260, width - 40), "symbolOpacity": 1, "columns": columns}
    return alt.Legend(title=None, orient="top", direction="horizontal", **looks)


def _looks(alt: ModuleType, dots: Sequence[Dot], width: int) -> dict[str, Any]:
    """Return the colour and the shape of each series; of more than six, no two have both."""
    series = [printable(name) for name in dict.fromkeys(dot.series for dot in dots)]
    legend, places = _legend(alt, series, width), range(len(series))
    colour = alt.Scale(domain=series, range=[_SERIES[n % len(_SERIES)] for n in places])
    shapes = [_SHAPES[(n + n // len(_SERIES)) % len(_SHAPES)] for n in places]
    shape = alt.Scale(domain=series, range=shapes)
    return {
        "color": alt.Color("series:N", scale=colour, legend=legend),
        "shape": alt.Shape("series:N", scale=shape, legend=legend),
    }


def _draw(alt: ModuleType, layers: Sequence[object], width: int, height: int) -> str:
    """Return layers as one SVG in the looks of the page, colours as variables of its style."""
    text = {"labelColor": _MUTED, "titleColor": _MUTED, "labelFontSize": 12, "titleFontSize": 12}
    chart = (
        alt.layer(*layers)
        .properties(width=width, height=height, background="transparent", padding=2)
        .configure(aria=False, font=_FONT)
        .configure_view(stroke=None)
        .configure_axis(
            **text,
            titleFontWeight="normal",
            titlePadding=8,
            gridColor=_LINE,
            domainColor=_LINE,
            tickColor=_LINE,
            labelFlush=False,
        )
        .configure_axisY(labelColor=_INK)
        .configure_legend(labelColor=_INK, labelFontSize=12, symbolSize=70, offset=10)
    )
    svg: str = require("vl_convert", "page").vegalite_to_svg(chart.to_dict())
    # The page names the drawing and has its figures as a table; parts of it are no landmarks.
    svg = svg.replace("<svg ", '<svg aria-hidden="true" ', 1)
    return _COLOUR.sub(lambda match: f"var(--{_VARIABLES[match[0]]})", svg)
