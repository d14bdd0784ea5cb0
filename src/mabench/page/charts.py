"""Draws charts as static SVG: rows of dots with intervals, rows of bars, and curves.

A chart is described in Vega-Lite, and vl-convert draws it. It is drawn with placeholder colours,
which are then replaced by variables of the page's style sheet: one drawing serves light and dark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any, NamedTuple

from mabench.errors import require
from mabench.printable import printable
from mabench.reports.tables import Table
from mabench.results import PARTS
from mabench.uncertainty.score_intervals import Limits

# The width of a chart with its labels, in pixels.
_WIDTH = 850
# Fonts with the same widths, so that texts fit wherever the page is opened.
_FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"
# Placeholder colours, and the variables of the style sheet that replace them.
_INK, _MUTED, _LINE, _CARD, _GOOD, _BAD = (f"#01020{number}" for number in range(3, 9))
_SERIES = tuple(f"#02030{number}" for number in range(1, 7))
_VARIABLE_NAMES = (
    "ink",
    "muted",
    "line",
    "card",
    "good",
    "bad",
    *(f"series-{n}" for n in range(1, 7)),
)
_PLACEHOLDERS = (_INK, _MUTED, _LINE, _CARD, _GOOD, _BAD, *_SERIES)
_VARIABLES = dict(zip(_PLACEHOLDERS, _VARIABLE_NAMES, strict=True))
_COLOUR = re.compile(rf'(?<=(?:fill|roke)=")(?:{"|".join(_VARIABLES)})(?=")')
_SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")
# The colours of the outcomes of questions. *Absent* is *unwritten* or *lost*, and *missed* may be
# *unfound*: what says the same less exactly has the same colour.
_PART_COLOURS = {
    "right": _GOOD,
    "right_unretrieved": _SERIES[2],
    "unwritten": _INK,
    "changed": _SERIES[4],
    "lost": _SERIES[0],
    "absent": _INK,
    "unfound": _SERIES[1],
    "missed": _SERIES[1],
    "cut": _LINE,
    "misread": _SERIES[3],
    "failed": _BAD,
    "no_form": _SERIES[5],
    "unclear": _MUTED,
}
_COLOUR_OF_PART = {part.head: _PART_COLOURS[name] for name, part in PARTS.items()}
# Styles of dots and of texts.
_POINT_STYLE: dict[str, Any] = {"size": 62, "filled": True, "opacity": 1}
_TEXT_STYLE: dict[str, Any] = {"fontSize": 12}
# The width of the labels of rows, in pixels.
_LABEL_WIDTH = 276
# The mean width of a character, in pixels.
_CHARACTER_WIDTH = 6.4
# The space above and below the dots of a row, and between two lines in it, in pixels.
_ROW_MARGIN, _LANE_HEIGHT = 15, 17
# The height of a bar, and the gap between two, in pixels.
_BAR_HEIGHT, _BAR_GAP = 22, 8
# The gap between a row and the text at its end, and the margins behind a text and without one.
_TEXT_GAP, _TEXT_MARGIN, _RIGHT_MARGIN = 14, 16, 12
_DIGITS_WIDTH = 20  # The width of two digits on a bar, in pixels.
# Of a legend: the characters of the longest name that it leaves room for, the width of a symbol
# with its margins, and the width at which a name is cut, in pixels.
_LONGEST_NAME, _SYMBOL_WIDTH, _NAME_WIDTH = 40, 40, 260
_FARTHEST_APART = 8  # How far the dots of one label are set apart, in pixels.
# The heights of charts with curves and with points, and the width of their axis, in pixels.
_CURVE_HEIGHT, _POINTS_HEIGHT, _AXIS_WIDTH = 230, 320, 70


class Dot(NamedTuple):
    """A value in a row or on a curve, with its intervals."""

    label: str  # The row, or the place along a curve.
    series: str
    value: float
    these: Limits | None = None  # The interval for these histories; a thick line.
    new: Limits | None = None  # The interval for new histories; a thin line.
    text: str = ""  # Printed at the end of the row.

    def as_dict(self) -> dict[str, str | float | None]:
        """Return the dot as a chart's data."""
        low, high = self.these or (None, None)
        low_wide, high_wide = self.new or (None, None)
        return {
            "value": self.value,
            "label": printable(self.label),
            "series": printable(self.series),
            "text": printable(self.text),
            "low": low,
            "high": high,
            "low_wide": low_wide,
            "high_wide": high_wide,
        }


class Scale(NamedTuple):
    """The axis of values: its title and its limits."""

    title: str
    low: float = 0
    high: float = 100
    log: bool = False

    @classmethod
    def logarithmic(cls, title: str, dots: Sequence[Dot]) -> Scale:
        """Return a logarithmic axis between whole powers of ten, with all dots on it."""
        ends = [end for dot in dots for end in (dot.value, *(dot.new or ()))]
        low, high = floor(log10(min(ends))), ceil(log10(max(ends)))
        return cls(title, 10**low, 10 ** max(high, low + 1), log=True)


# The fields of ``Dot.as_dict`` that are the limits of its intervals.
_NARROW_LIMITS, _WIDE_LIMITS = ("low", "high"), ("low_wide", "high_wide")
# A part of a chart in Vega-Lite.
_Spec = dict[str, Any]


def draw_rows(dots: Sequence[Dot], scale: Scale, lanes: Mapping[str, int] | None = None) -> str:
    """Draw a row for each label, with a dot for each series, as SVG.

    Within a row, each series has its own line. ``lanes`` sets the number of each series' line, so
    that several can share one.
    """
    names = dict.fromkeys(dot.series for dot in dots)
    lane_of = lanes or {name: lane for lane, name in enumerate(names)}
    values = [{**dot.as_dict(), "lane": lane_of[dot.series]} for dot in dots]
    labels = [*dict.fromkeys(str(value["label"]) for value in values)]
    lane_count = max(lane_of.values()) + 1
    longest_text = max(len(dot.text) for dot in dots)
    right_width = _RIGHT_MARGIN
    if longest_text:
        right_width = round(_CHARACTER_WIDTH * longest_text) + _TEXT_MARGIN

    row_height = _ROW_MARGIN + _LANE_HEIGHT * (lane_count - 1) + _ROW_MARGIN
    width = _WIDTH - _LABEL_WIDTH - right_width
    lane_scale = {
        "type": "point",
        "padding": 0,
        "domain": [*range(lane_count)],
        "range": [_ROW_MARGIN, row_height - _ROW_MARGIN],
    }
    axis, styles = _make_axis(scale), _series_styles(dots, _WIDTH)
    colour = {"color": styles["color"]}
    layers = [
        _interval_marks("x", _WIDE_LIMITS, axis, colour, strokeWidth=1.25),
        _interval_marks(
            "x", _NARROW_LIMITS, axis, colour, strokeWidth=4, opacity=0.55, strokeCap="round"
        ),
        _make_layer("point", {"x": {"field": "value", **axis}, **styles}, **_POINT_STYLE),
    ]
    if longest_text:
        text = {"x": {"value": width + _TEXT_GAP}, "text": _encode("text")}
        layers.append(
            _make_layer("text", text, align="left", **_TEXT_STYLE, fill=_INK, baseline="middle")
        )
    place = {"yOffset": _encode("lane", scale=lane_scale)}
    height = row_height * len(labels)
    return _draw(layers, values, place, width=width, height=height, row_labels=labels)


def draw_parts(table: Table) -> str:
    """Draw a bar for each row of a table of the outcomes of 100 questions, as SVG.

    Each outcome is a part of the bar, with its number in it. The first column has the labels of
    rows, and the others are headed by the outcomes.
    """
    bars: list[_Spec] = []
    for label, *numbers in table.values:
        end = 0
        for column, number in zip(table.columns[1:], numbers, strict=True):
            if isinstance(number, int) and number:
                start, end = end, end + number
                bars.append(
                    {
                        "label": printable(str(label)),
                        "part": column.title,
                        "start": start,
                        "end": end,
                        "middle": (start + end) / 2,
                        "number": number,
                    }
                )
    labels = [*dict.fromkeys(bar["label"] for bar in bars)]
    parts = [part for part in _COLOUR_OF_PART if any(bar["part"] == part for bar in bars)]
    colours = {"domain": parts, "range": [_COLOUR_OF_PART[part] for part in parts]}
    axis = {"title": "of 100 questions", "tickCount": 5, "format": "~f", "grid": False}
    along = {"type": "quantitative", "scale": {"domain": [0, 100], "nice": False}, "axis": axis}

    width = _WIDTH - _LABEL_WIDTH - _RIGHT_MARGIN
    bar = {
        "x": {"field": "start", **along},
        "x2": {"field": "end"},
        "color": _encode("part", scale=colours, legend=_make_legend(parts, _WIDTH)),
    }
    text = {"x": {"field": "middle", "type": "quantitative"}, "text": _encode("number")}
    # A number is printed only if its part of the bar, which is of 100, has room for two digits.
    has_room = f"datum.number > {_DIGITS_WIDTH * 100 / width}"
    layers = [
        _make_layer("bar", bar, stroke=_CARD, size=_BAR_HEIGHT),
        _make_layer("text", text, has_room, **_TEXT_STYLE, fill=_CARD, baseline="middle"),
    ]
    height = (_BAR_HEIGHT + _BAR_GAP) * len(labels)
    return _draw(layers, bars, {}, width=width, height=height, row_labels=labels)


def draw_curves(dots: Sequence[Dot], labels: Sequence[str], along: str, scale: Scale) -> str:
    """Draw a curve with intervals for each series, as SVG.

    ``labels`` are the places along the horizontal axis, whose title is ``along``. A curve is broken
    at a label for which its series has no dot.
    """
    named = [*map(printable, labels)]
    series = [*dict.fromkeys(printable(dot.series) for dot in dots)]
    axis = {"title": printable(along), "labelAngle": 0, "grid": False, "labelOverlap": True}
    points = {"type": "point", "padding": 0.4, "domain": named}
    place = {"x": _encode("label", sort=None, axis=axis, scale=points)}
    values, drawn = list[_Spec](), Counter[str]()
    for dot in dots:
        place_of_dot = named.index(printable(dot.label))
        # Where no label is left out, the place and the number of dots before grow alike, so that
        # successive dots have the same piece of the curve.
        piece = place_of_dot - drawn[dot.series]
        values.append({**dot.as_dict(), "place": place_of_dot, "piece": piece})
        drawn[dot.series] += 1
    curve = {"detail": _encode("piece"), "order": {"field": "place", "type": "quantitative"}}

    width = _WIDTH - _AXIS_WIDTH
    if len(series) > 1:  # Set the dots of one label apart.
        distance = min(_FARTHEST_APART, width / len(named) / 3)  # A third of a label's width.
        offsets = {"type": "point", "range": [-distance, distance], "domain": series}
        place["xOffset"] = _encode("series", sort=series, scale=offsets)
    layers = _upright_marks(dots, scale, width, curve)
    return _draw(layers, values, place, width=width, height=_CURVE_HEIGHT)


def draw_points(dots: Sequence[Dot], along: str, scale: Scale) -> str:
    """Draw each dot with its interval as SVG; its label is its number on the horizontal axis."""
    values = [{**dot.as_dict(), "at": float(dot.label)} for dot in dots]
    axis = {"title": printable(along), "tickCount": 6, "grid": False}
    place = {"x": {"field": "at", "type": "quantitative", "axis": axis}}
    layers = _upright_marks(dots, scale, _WIDTH)
    width = _WIDTH - _AXIS_WIDTH
    return _draw(layers, values, place, width=width, height=_POINTS_HEIGHT)


def _upright_marks(
    dots: Sequence[Dot], scale: Scale, width: int, curve: _Spec | None = None
) -> list[_Spec]:
    """Return the layers of dots on a vertical axis; a ``curve`` joins them, if given."""
    axis, styles = _make_axis(scale), _series_styles(dots, width)
    y, colour = {"y": {"field": "value", **axis}}, {"color": styles["color"]}
    layers = [
        _interval_marks("y", _WIDE_LIMITS, axis, colour, strokeWidth=1.25),
        _interval_marks(
            "y", _NARROW_LIMITS, axis, colour, strokeWidth=4, opacity=0.4, strokeCap="round"
        ),
    ]
    if curve:
        layers.append(_make_layer("line", {**y, **colour, **curve}, strokeWidth=2))
    return [*layers, _make_layer("point", {**y, **styles}, **_POINT_STYLE)]


def _interval_marks(
    axis_name: str, limits: tuple[str, str], axis: _Spec, colour: _Spec, **style: object
) -> _Spec:
    """Return a layer of lines along an axis, between the two fields that are ``limits``.

    ``axis_name`` is ``x`` or ``y``. Dots without such an interval have no line.
    """
    low, high = limits
    ends = {axis_name: {"field": low, **axis}, f"{axis_name}2": {"field": high}}
    return _make_layer("rule", {**ends, **colour}, f"isValid(datum.{low})", **style)


def _make_layer(mark: str, encoding: _Spec, where: str = "", **style: object) -> _Spec:
    """Return a layer of marks, for all data or those that meet a condition in Vega's language."""
    layer: _Spec = {"mark": {"type": mark, **style}, "encoding": encoding}
    if where:
        layer["transform"] = [{"filter": where}]
    return layer


def _encode(name: str, **settings: object) -> _Spec:
    """Return the encoding of a field that holds names, not amounts."""
    return {"field": name, "type": "nominal", **settings}


def _make_axis(scale: Scale) -> _Spec:
    """Return the axis of values, with its title, limits and ticks."""
    ends: _Spec = {"domain": [scale.low, scale.high]}
    axis: _Spec = {
        "title": printable(scale.title),
        "tickCount": 6,
        "format": ",~f",
        "labelOverlap": not scale.log,
    }
    if scale.log:
        ends["type"] = "log"
        powers = range(round(log10(scale.low)), round(log10(scale.high)) + 1)
        # Ticks at 1, 2 and 5 times each power of ten; on a long axis only at the powers.
        digits = (1,) if len(powers) >= 5 else (1, 2, 5)
        numbers = [digit * 10.0**power for power in powers for digit in digits]
        axis["values"] = [number for number in numbers if scale.low <= number <= scale.high]
    return {"type": "quantitative", "scale": ends, "axis": axis}


def _make_legend(series: Sequence[str], width: int) -> _Spec | None:
    """Return a legend above a chart of a ``width`` in pixels; None for one series."""
    if len(series) < 2:
        return None
    longest = min(_LONGEST_NAME, max(map(len, series)))
    entry_width = _CHARACTER_WIDTH * longest + _SYMBOL_WIDTH
    return {
        "title": None,
        "orient": "top",
        "direction": "horizontal",
        "labelLimit": min(_NAME_WIDTH, width - _SYMBOL_WIDTH),
        "symbolOpacity": 1,
        "columns": max(1, int(width // entry_width)),
    }


def _series_styles(dots: Sequence[Dot], width: int) -> _Spec:
    """Return the encodings of a colour and a shape for each series.

    Colours repeat after six series, but then with another shape.
    """
    series = [printable(name) for name in dict.fromkeys(dot.series for dot in dots)]
    legend = _make_legend(series, width)
    colours, shapes = list[str](), list[str]()
    for number in range(len(series)):
        times_repeated = number // len(_SERIES)
        colours.append(_SERIES[number % len(_SERIES)])
        shapes.append(_SHAPES[(number + times_repeated) % len(_SHAPES)])
    return {
        "color": _encode("series", scale={"domain": series, "range": colours}, legend=legend),
        "shape": _encode("series", scale={"domain": series, "range": shapes}, legend=legend),
    }


def _draw(
    layers: list[_Spec],
    values: Sequence[_Spec],
    place: _Spec,
    *,
    width: int,
    height: int,
    row_labels: Sequence[str] = (),
) -> str:
    """Return layers as one SVG in the style of the page.

    ``values`` are the data of all layers, and ``place`` is the encoding that they share.
    """
    if row_labels:
        axis = {
            "title": None,
            "labelLimit": _LABEL_WIDTH - 16,
            "ticks": False,
            "domain": False,
            "labelPadding": 12,
        }
        bands = {"paddingOuter": 0, "paddingInner": 0}
        place = {"y": _encode("label", sort=row_labels, axis=axis, scale=bands), **place}
    text = {"labelColor": _MUTED, "titleColor": _MUTED, "labelFontSize": 12, "titleFontSize": 12}
    lines = {"gridColor": _LINE, "domainColor": _LINE, "tickColor": _LINE, "labelFlush": False}
    chart = {
        "data": {"values": values},
        "encoding": place,
        "layer": layers,
        "width": width,
        "height": height,
        "background": "transparent",
        "padding": 2,
        "config": {
            "aria": False,
            "font": _FONT,
            "view": {"stroke": None},
            "axis": {**text, "titleFontWeight": "normal", "titlePadding": 8, **lines},
            "axisY": {"labelColor": _INK},
            "legend": {"labelColor": _INK, "labelFontSize": 12, "symbolSize": 70, "offset": 10},
        },
    }
    svg: str = require("vl_convert", "page").vegalite_to_svg(chart)
    # Screen readers should skip the drawing: the page also has a table of its values.
    svg = svg.replace("<svg ", '<svg aria-hidden="true" ', 1)
    return _COLOUR.sub(lambda match: f"var(--{_VARIABLES[match[0]]})", svg)
