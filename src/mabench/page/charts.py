"""Charts as static SVG with real text: rows of dots with intervals, and curves.

Altair describes a chart and vl-convert draws it, once wide and once narrow. Colours are drawn as
marks that stand for variables of the page's style sheet, so that one drawing serves light and
dark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor, log10
from types import ModuleType
from typing import NamedTuple, Protocol

from mabench.errors import require
from mabench.printable import printable

EXTRA = "page"
WIDE, NARROW = 850, 300
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
_LABEL_WIDTH = 230
_CHARACTER = 6.4  # The mean width of a character, in pixels.


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A figure of a chart, with up to two intervals.

    Attributes:
        label: the row of the chart that it stands in, or its place on a curve.
        series: what is measured.
        value: the figure.
        low, high: the interval that is drawn thick.
        low_wide, high_wide: the interval that is drawn thin.
        text: the figure in words, beside the row; empty for none.
    """

    label: str
    series: str
    value: float
    low: float | None = None
    high: float | None = None
    low_wide: float | None = None
    high_wide: float | None = None
    text: str = ""


class Scale(NamedTuple):
    """The axis of values: its title, its ends (None for those of the data), a line to see."""

    title: str
    low: float | None = 0
    high: float | None = 100
    rule: float | None = None
    log: bool = False


class _Chart(Protocol):
    """What is needed of a chart of Altair, which has no types where it is not installed."""

    def to_dict(self) -> dict[str, object]: ...


class Drawing(NamedTuple):
    """A chart as SVG, for wide windows and for narrow ones."""

    wide: str
    narrow: str


def rows_of_dots(
    dots: Sequence[Dot], scale: Scale, lanes: Mapping[str, int] | None = None
) -> Drawing:
    """Draw a row for each label, with a dot for each series.

    Args:
        dots: the figures; labels and series stand in the order in which they come first.
        scale: the axis of values.
        lanes: on which line of a row each series stands, from 0; by default each has its own.
    """
    alt = require("altair", EXTRA)
    own = {name: lane for lane, name in enumerate(dict.fromkeys(dot.series for dot in dots))}
    return Drawing(
        _drawn(_rows(alt, dots, scale, lanes or own, narrow=False)),
        _drawn(_rows(alt, dots, scale, lanes or own, narrow=True)),
    )


def curves(dots: Sequence[Dot], along: str, scale: Scale) -> Drawing:
    """Draw a curve for each series, with its intervals, over labels in their order.

    Args:
        dots: the figures.
        along: the title of the axis of labels.
        scale: the axis of values.
    """
    alt = require("altair", EXTRA)
    return Drawing(
        _drawn(_curves(alt, dots, along, scale, WIDE - 70)),
        _drawn(_curves(alt, dots, along, scale, NARROW - 44)),
    )


def _rows(
    alt: ModuleType, dots: Sequence[Dot], scale: Scale, lane_of: Mapping[str, int], *, narrow: bool
) -> _Chart:
    labels = [printable(label) for label in dict.fromkeys(dot.label for dot in dots)]
    series = list(dict.fromkeys(dot.series for dot in dots))
    lanes = max(lane_of.values()) + 1
    # Where it is narrow, the label of a row stands above its lanes.
    above, below = (34, 10) if narrow else (15, 15)
    step = above + 17 * (lanes - 1) + below
    longest = max(len(dot.text) for dot in dots)
    text_width = round(_CHARACTER * longest) + 16 if longest else 12
    width = NARROW - text_width - 8 if narrow else WIDE - _LABEL_WIDTH - text_width
    names = alt.Axis(
        title=None, labelLimit=_LABEL_WIDTH - 16, ticks=False, domain=False, labelPadding=12
    )
    bands = alt.Scale(paddingOuter=0, paddingInner=0)
    y = alt.Y("label:N", sort=labels, axis=None if narrow else names, scale=bands)
    lane_scale = alt.Scale(
        type="point", domain=[*range(lanes)], range=[above, step - below], padding=0
    )
    offset = alt.YOffset("lane:N", scale=lane_scale)
    values = [{**_plain(dot), "lane": lane_of[dot.series]} for dot in dots]
    base = alt.Chart(alt.Data(values=values)).encode(y=y, yOffset=offset)
    x = alt.X("value:Q", scale=_scale(alt, scale), axis=_axis(alt, scale, narrow))
    colour = _colour(alt, series)
    new, these = alt.X("low_wide:Q"), alt.X("low:Q")
    layers = [
        base.mark_rule(strokeWidth=1.25)
        .encode(x=new, x2="high_wide:Q", color=colour)
        .transform_filter("isValid(datum.low_wide)"),
        base.mark_rule(strokeWidth=4, opacity=0.55, strokeCap="round")
        .encode(x=these, x2="high:Q", color=colour)
        .transform_filter("isValid(datum.low)"),
        base.mark_point(
            size=62,
            filled=True,
            opacity=1,
        ).encode(x=x, color=colour, shape=_shape(alt, series)),
    ]
    if longest:
        layers.append(
            base.mark_text(align="left", baseline="middle", fontSize=12, fill=_INK).encode(
                x=alt.value(width + 14), text="text:N"
            )
        )
    if narrow:
        layers.append(
            alt.Chart(alt.Data(values=[{"label": label} for label in labels]))
            .mark_text(align="left", baseline="top", fontSize=12, fill=_INK, limit=NARROW - 8)
            .encode(y=y, yOffset=alt.value(4), x=alt.value(0), text="label:N")
        )
    return _finished(alt, [*_rule(alt, scale), *layers], width, step * len(labels))


def _curves(alt: ModuleType, dots: Sequence[Dot], along: str, scale: Scale, width: int) -> _Chart:
    labels = [printable(label) for label in dict.fromkeys(dot.label for dot in dots)]
    series = [printable(name) for name in dict.fromkeys(dot.series for dot in dots)]
    axis = alt.Axis(title=printable(along), labelAngle=0, grid=False, labelOverlap=True)
    x = alt.X("label:N", sort=labels, axis=axis, scale=alt.Scale(type="point", padding=0.4))
    offset = alt.XOffset(
        "series:N", sort=series, scale=alt.Scale(type="point", range=[-8, 8], domain=series)
    )
    y = alt.Y("value:Q", scale=_scale(alt, scale), axis=_axis(alt, scale, narrow=False))
    low = alt.Y("low:Q", scale=_scale(alt, scale), axis=_axis(alt, scale, narrow=False))
    colour = _colour(alt, series)
    base = alt.Chart(alt.Data(values=[_plain(dot) for dot in dots])).encode(x=x)
    if len(series) > 1:
        base = base.encode(xOffset=offset)
    layers = [
        base.mark_rule(strokeWidth=4, opacity=0.4, strokeCap="round")
        .encode(y=low, y2="high:Q", color=colour)
        .transform_filter("isValid(datum.low)"),
        base.mark_line(strokeWidth=2).encode(y=y, color=colour, order=alt.Order("place:Q")),
        base.mark_point(size=62, filled=True, opacity=1).encode(
            y=y, color=colour, shape=_shape(alt, series)
        ),
    ]
    return _finished(alt, layers, width, 230)


def _plain(dot: Dot) -> dict[str, str | float | None]:
    return {
        name: printable(value) if isinstance(value, str) else value
        for name, value in asdict(dot).items()
    }


def _scale(alt: ModuleType, scale: Scale) -> object:
    if scale.log:
        return alt.Scale(type="log", domain=[scale.low, scale.high])
    if scale.low is None or scale.high is None:
        return alt.Scale(zero=False, nice=True)
    return alt.Scale(domain=[scale.low, scale.high])


def _axis(alt: ModuleType, scale: Scale, narrow: bool) -> object:
    steps = {"values": _round_numbers(scale, few=narrow)} if scale.log else {}
    count = 4 if narrow else 6
    return alt.Axis(
        title=printable(scale.title), tickCount=count, format="~f", labelOverlap=not steps, **steps
    )


def log_scale(title: str, values: Sequence[float]) -> Scale:
    """Return a logarithmic axis that holds some values, all above 0."""
    low, high = log10(min(values)), log10(max(values))
    return Scale(title, 10 ** floor(low), 10 ** max(ceil(high), floor(low) + 1), log=True)


def _round_numbers(scale: Scale, *, few: bool) -> list[float]:
    """Return 1, 2 and 5 in each power of ten of a logarithmic axis; where few are wanted, 1."""
    low, high = scale.low or 1, scale.high or 10
    powers = range(round(log10(low)), round(log10(high)) + 1)
    many = not few and len(powers) < 5
    steps = [step * 10.0**power for power in powers for step in ((1, 2, 5) if many else (1,))]
    return [step for step in steps if low <= step <= high]


def _colour(alt: ModuleType, series: Sequence[str]) -> object:
    colours = [_SERIES[number % len(_SERIES)] for number in range(len(series))]
    scale = alt.Scale(domain=[*map(printable, series)], range=colours)
    return alt.Color("series:N", scale=scale, legend=_legend(alt, series))


def _shape(alt: ModuleType, series: Sequence[str]) -> object:
    shapes = [_SHAPES[number % len(_SHAPES)] for number in range(len(series))]
    scale = alt.Scale(domain=[*map(printable, series)], range=shapes)
    return alt.Shape("series:N", scale=scale, legend=_legend(alt, series))


def _legend(alt: ModuleType, series: Sequence[str]) -> object:
    if len(series) < 2:
        return None
    return alt.Legend(
        title=None, orient="top", direction="horizontal", labelLimit=260, symbolOpacity=1
    )


def _rule(alt: ModuleType, scale: Scale) -> list[object]:
    if scale.rule is None:
        return []
    data = alt.Data(values=[{"at": scale.rule}])
    return [alt.Chart(data).mark_rule(stroke=_MUTED, strokeWidth=1.5).encode(x="at:Q")]


def _finished(alt: ModuleType, layers: Sequence[object], width: int, height: int) -> _Chart:
    """Return layers as one chart, in the looks of the page."""
    text = {"labelColor": _MUTED, "titleColor": _MUTED, "labelFontSize": 12, "titleFontSize": 12}
    chart: _Chart = (
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
    return chart


def _drawn(chart: _Chart) -> str:
    """Return a chart as SVG, its colours as variables of the style sheet."""
    svg: str = require("vl_convert", EXTRA).vegalite_to_svg(chart.to_dict())
    # The page names the drawing and has its figures as a table; parts of it are no landmarks.
    svg = svg.replace("<svg ", '<svg aria-hidden="true" ', 1)
    return _COLOUR.sub(lambda found: f"var(--{_VARIABLES[found[0]]})", svg)
