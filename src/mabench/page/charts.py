"""Charts as static SVG with real text: rows of dots with intervals, and curves.

Altair describes a chart and vl-convert draws it, once wide and once narrow. Colours are drawn as
marks that stand for variables of the page's style sheet, so that one drawing serves light and
dark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import log10
from types import ModuleType
from typing import Any, NamedTuple

from mabench.errors import require
from mabench.printable import printable
from mabench.reports.tables import Limits, Measure, Table

_WIDE, _NARROW = 850, 300
# All of one width, so that what vl-convert measures holds wherever the page is opened.
_FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"
_INK, _MUTED, _LINE = "#010203", "#010204", "#010205"
_SERIES = tuple(f"#02030{number}" for number in range(1, 7))
_VARIABLES = {
    _INK: "ink",
    _MUTED: "muted",
    _LINE: "line",
    **{colour: f"series-{number}" for number, colour in enumerate(_SERIES, start=1)},
}
_COLOUR = re.compile(rf'(?<=(?:fill|roke)=")(?:{"|".join(_VARIABLES)})(?=")')
_SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")
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
    """The axis of values: its title, its ends (None for those of the data), a line to see."""

    title: str
    low: float | None = 0
    high: float | None = 100
    rule: float | None = None
    log: bool = False


# A chart as SVG, for wide windows and for narrow ones.
Drawing = tuple[str, str]


def dots_of(
    table: Table, series: Mapping[str, str], text: Callable[[Measure], str] = format
) -> list[Dot]:
    """Return figures as dots, row by row; ``series`` are by the titles of their columns."""
    titles = [column.title for column in table.columns]
    dots = []
    for row in table.values:
        label = table.columns[0].text(row[0])
        for title, name in series.items():
            value = row[titles.index(title)]
            if isinstance(value, Measure):
                dots.append(Dot(label, name, *value[:3], text(value)))
            elif isinstance(value, int | float):
                dots.append(Dot(label, name, value))
    return dots


def draw_rows(dots: Sequence[Dot], scale: Scale, lanes: Mapping[str, int] | None = None) -> Drawing:
    """Draw a row for each label with a dot for each series, on its own line but for ``lanes``."""
    if lanes is None:
        lanes = {name: lane for lane, name in enumerate(dict.fromkeys(dot.series for dot in dots))}
    return _rows(dots, scale, lanes, narrow=False), _rows(dots, scale, lanes, narrow=True)


def draw_curves(dots: Sequence[Dot], along: str, scale: Scale) -> Drawing:
    """Draw a curve for each series, with intervals, over labels, whose title is ``along``."""
    wide, narrow = (_curves(dots, along, scale, width) for width in (_WIDE - 70, _NARROW - 44))
    return wide, narrow


def _rows(dots: Sequence[Dot], scale: Scale, lane_of: Mapping[str, int], *, narrow: bool) -> str:
    alt = require("altair", "page")
    labels = [printable(label) for label in dict.fromkeys(dot.label for dot in dots)]
    lanes = max(lane_of.values()) + 1
    # Where it is narrow, the label of a row stands above its lanes.
    above, below = (34, 10) if narrow else (15, 15)
    step = above + 17 * (lanes - 1) + below
    longest = max(len(dot.text) for dot in dots)
    text_width = round(_CHARACTER * longest) + 16 if longest else 12
    width = _NARROW - text_width - 8 if narrow else _WIDE - _LABEL_WIDTH - text_width
    names = alt.Axis(
        title=None, labelLimit=_LABEL_WIDTH - 16, ticks=False, domain=False, labelPadding=12
    )
    bands = alt.Scale(paddingOuter=0, paddingInner=0)
    y = alt.Y("label:N", sort=labels, axis=None if narrow else names, scale=bands)
    lane_scale = alt.Scale(
        type="point", domain=[*range(lanes)], range=[above, step - below], padding=0
    )
    values = [{**dot.as_dict(), "lane": lane_of[dot.series]} for dot in dots]
    base = alt.Chart(alt.Data(values=values)).encode(
        y=y, yOffset=alt.YOffset("lane:N", scale=lane_scale)
    )
    x = alt.X("value:Q", **_values(alt, scale, narrow))
    colour, shape = _looks(alt, dots)
    wide, low = alt.X("low_wide:Q"), alt.X("low:Q")
    layers = [
        _lines(base, "low_wide", strokeWidth=1.25).encode(x=wide, x2="high_wide:Q", color=colour),
        _lines(base, "low", strokeWidth=4, opacity=0.55).encode(x=low, x2="high:Q", color=colour),
        base.mark_point(**_POINT).encode(x=x, color=colour, shape=shape),
    ]
    if scale.rule is not None:
        data = alt.Data(values=[{"at": scale.rule}])
        rule = alt.Chart(data).mark_rule(stroke=_MUTED, strokeWidth=1.5).encode(x="at:Q")
        layers.insert(0, rule)
    text = {"align": "left", "fontSize": 12, "fill": _INK}
    if longest:
        texts = base.mark_text(**text, baseline="middle")
        layers.append(texts.encode(x=alt.value(width + 14), text="text:N"))
    if narrow:
        above_lanes = alt.Chart(alt.Data(values=[{"label": label} for label in labels])).mark_text(
            **text, baseline="top", limit=_NARROW - 8
        )
        place = {"y": y, "yOffset": alt.value(4), "x": alt.value(0)}
        layers.append(above_lanes.encode(**place, text="label:N"))
    return _draw(alt, layers, width, step * len(labels))


def _curves(dots: Sequence[Dot], along: str, scale: Scale, width: int) -> str:
    alt = require("altair", "page")
    labels, series = (
        [printable(name) for name in dict.fromkeys(names)]
        for names in ((dot.label for dot in dots), (dot.series for dot in dots))
    )
    axis = alt.Axis(title=printable(along), labelAngle=0, grid=False, labelOverlap=True)
    x = alt.X("label:N", sort=labels, axis=axis, scale=alt.Scale(type="point", padding=0.4))
    values = _values(alt, scale, narrow=False)
    y, low = alt.Y("value:Q", **values), alt.Y("low:Q", **values)
    colour, shape = _looks(alt, dots)
    base = alt.Chart(alt.Data(values=[dot.as_dict() for dot in dots])).encode(x=x)
    if len(series) > 1:
        apart = alt.Scale(type="point", range=[-8, 8], domain=series)
        base = base.encode(xOffset=alt.XOffset("series:N", sort=series, scale=apart))
    layers = [
        _lines(base, "low", strokeWidth=4, opacity=0.4).encode(y=low, y2="high:Q", color=colour),
        base.mark_line(strokeWidth=2).encode(y=y, color=colour, order=alt.Order("place:Q")),
        base.mark_point(**_POINT).encode(y=y, color=colour, shape=shape),
    ]
    return _draw(alt, layers, width, 230)


def _lines(base: Any, field: str, **looks: float) -> Any:
    """Return the marks of intervals, thick ones with round ends, where there are any."""
    ends = {"strokeCap": "round"} if "opacity" in looks else {}
    return base.mark_rule(**looks, **ends).transform_filter(f"isValid(datum.{field})")


def _values(alt: ModuleType, scale: Scale, narrow: bool) -> dict[str, object]:
    """Return scale and axis of the values."""
    ends, steps = alt.Scale(domain=[scale.low, scale.high]), {}
    if scale.log:  # 1, 2 and 5 in each power of ten, or where there is little room 1 alone.
        low, high = scale.low or 1, scale.high or 10
        ends = alt.Scale(type="log", domain=[low, high])
        powers = range(round(log10(low)), round(log10(high)) + 1)
        digits = (1,) if narrow or len(powers) >= 5 else (1, 2, 5)
        numbers = [digit * 10.0**power for power in powers for digit in digits]
        steps = {"values": [number for number in numbers if low <= number <= high]}
    elif scale.low is None or scale.high is None:
        ends = alt.Scale(zero=False, nice=True)
    ticks = 4 if narrow else 6
    title, overlap = printable(scale.title), not steps
    axis = alt.Axis(title=title, tickCount=ticks, format="~f", labelOverlap=overlap, **steps)
    return {"scale": ends, "axis": axis}


def _looks(alt: ModuleType, dots: Sequence[Dot]) -> tuple[object, object]:
    series = [printable(name) for name in dict.fromkeys(dot.series for dot in dots)]
    legend = None
    if len(series) > 1:
        legend = alt.Legend(
            title=None, orient="top", direction="horizontal", labelLimit=260, symbolOpacity=1
        )
    colour, shape = (
        alt.Scale(domain=series, range=[looks[place % len(looks)] for place in range(len(series))])
        for looks in (_SERIES, _SHAPES)
    )
    return (
        alt.Color("series:N", scale=colour, legend=legend),
        alt.Shape("series:N", scale=shape, legend=legend),
    )


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
