"""Charts as static SVG with real text: rows of dots with intervals, rows of bars, and curves.

A chart is described in Vega-Lite, and vl-convert draws it. Its colours are placeholders that become
variables of the page's style sheet, so that one drawing serves light and dark.
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
# Fonts of equal widths, so that what vl-convert measures holds wherever the page is opened.
_FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"
_INK, _MUTED, _LINE, _CARD, _GOOD, _BAD = (f"#01020{number}" for number in range(3, 9))
_SERIES = tuple(f"#02030{number}" for number in range(1, 7))
_NAMES = ("ink", "muted", "line", "card", "good", "bad", *(f"series-{n}" for n in range(1, 7)))
_VARIABLES = dict(zip((_INK, _MUTED, _LINE, _CARD, _GOOD, _BAD, *_SERIES), _NAMES, strict=True))
_COLOUR = re.compile(rf'(?<=(?:fill|roke)=")(?:{"|".join(_VARIABLES)})(?=")')
_SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")
# The colours of what became of questions, in the order of ``PARTS``.
_PART_COLOURS = (_GOOD, _SERIES[2], _SERIES[1], _SERIES[3], _BAD, _SERIES[5], _MUTED)
_PARTS = {part.head: colour for part, colour in zip(PARTS.values(), _PART_COLOURS, strict=True)}
_POINT: dict[str, Any] = {"size": 62, "filled": True, "opacity": 1}
_TEXT: dict[str, Any] = {"fontSize": 12}
# The room for the labels of rows, in pixels.
_LABEL_WIDTH = 276
# The mean width of a character, in pixels.
_CHARACTER = 6.4


class Dot(NamedTuple):
    """A figure in a row or on a curve, with its intervals; ``text`` is printed next to the row."""

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
        """Return a logarithmic axis in whole powers of ten with room for all dots."""
        ends = [end for dot in dots for end in (dot.value, *(dot.new or ()))]
        low, high = floor(log10(min(ends))), ceil(log10(max(ends)))
        return cls(title, 10**low, 10 ** max(high, low + 1), log=True)


# A part of a chart in Vega-Lite.
_Spec = dict[str, Any]


def draw_rows(dots: Sequence[Dot], scale: Scale, lanes: Mapping[str, int] | None = None) -> str:
    """Draw a row for each label, with a dot for each series, as SVG.

    Each series has a line of its own within the row; ``lanes`` give series the same line.
    """
    names = dict.fromkeys(dot.series for dot in dots)
    lane_of = lanes or {name: lane for lane, name in enumerate(names)}
    values = [{**dot.as_dict(), "lane": lane_of[dot.series]} for dot in dots]
    labels = [*dict.fromkeys(str(value["label"]) for value in values)]
    count, longest = max(lane_of.values()) + 1, max(len(dot.text) for dot in dots)
    text_width = round(_CHARACTER * longest) + 16 if longest else 12

    margin = 15
    step = margin + 17 * (count - 1) + margin
    width = _WIDTH - _LABEL_WIDTH - text_width
    places = {"domain": [*range(count)], "range": [margin, step - margin]}
    offset = _encode("lane", scale={"type": "point", "padding": 0, **places})
    axis, looks = _make_axis(scale), _series_styles(dots, _WIDTH)
    colour = {"color": looks["color"]}
    layers = [
        _interval_marks("x", "low_wide", axis, colour, strokeWidth=1.25),
        _interval_marks("x", "low", axis, colour, strokeWidth=4, opacity=0.55, strokeCap="round"),
        _make_layer("point", {"x": {"field": "value", **axis}, **looks}, **_POINT),
    ]
    if longest:
        text = {"x": {"value": width + 14}, "text": _encode("text")}
        layers.append(
            _make_layer("text", text, align="left", **_TEXT, fill=_INK, baseline="middle")
        )
    return _draw(layers, values, {"yOffset": offset}, width, step * len(labels), labels)


def draw_parts(table: Table) -> str:
    """Draw a bar for each row of a table of what became of 100 questions, as SVG."""
    bars: list[_Spec] = []
    for label, *numbers in table.values:
        end = 0
        for column, number in zip(table.columns[1:], numbers, strict=True):
            if isinstance(number, int) and number:
                start, end = end, end + number
                ends = {"start": start, "end": end, "middle": (start + end) / 2, "number": number}
                bars.append({"label": printable(str(label)), "part": column.title, **ends})
    labels = [*dict.fromkeys(bar["label"] for bar in bars)]
    parts = [part for part in _PARTS if any(bar["part"] == part for bar in bars)]
    colours = {"domain": parts, "range": [_PARTS[part] for part in parts]}
    axis = {"title": "of 100 questions", "tickCount": 5, "format": "~f", "grid": False}
    along = {"type": "quantitative", "scale": {"domain": [0, 100], "nice": False}, "axis": axis}

    height, width = 22, _WIDTH - _LABEL_WIDTH - 12
    bar = {
        "x": {"field": "start", **along},
        "x2": {"field": "end"},
        "color": _encode("part", scale=colours, legend=_make_legend(parts, _WIDTH)),
    }
    text = {"x": {"field": "middle", "type": "quantitative"}, "text": _encode("number")}
    # The bar has room for two digits.
    has_room = f"datum.number > {2000 / width}"
    layers = [
        _make_layer("bar", bar, stroke=_CARD, size=height),
        _make_layer("text", text, has_room, **_TEXT, fill=_CARD, baseline="middle"),
    ]
    return _draw(layers, bars, {}, width, (height + 8) * len(labels), labels)


def draw_curves(dots: Sequence[Dot], labels: Sequence[str], along: str, scale: Scale) -> str:
    """Draw a curve for each series, with intervals, over labels with the title ``along``, as SVG.

    The line of a series ends at a label for which it has no dot.
    """
    named = [*map(printable, labels)]
    series = [*dict.fromkeys(printable(dot.series) for dot in dots)]
    axis = {"title": printable(along), "labelAngle": 0, "grid": False, "labelOverlap": True}
    points = {"type": "point", "padding": 0.4, "domain": named}
    place = {"x": _encode("label", sort=None, axis=axis, scale=points)}
    values, drawn = list[_Spec](), Counter[str]()
    for dot in dots:
        at = named.index(printable(dot.label))
        # Dots with no gap between them have the same piece.
        values.append({**dot.as_dict(), "place": at, "piece": at - drawn[dot.series]})
        drawn[dot.series] += 1
    curve = {"detail": _encode("piece"), "order": {"field": "place", "type": "quantitative"}}

    width = _WIDTH - 70
    if len(series) > 1:  # Their dots are set apart within a label.
        far = min(8, width / len(named) / 3)
        apart = {"type": "point", "range": [-far, far], "domain": series}
        place["xOffset"] = _encode("series", sort=series, scale=apart)
    return _draw(_upright_marks(dots, scale, width, curve), values, place, width, 230)


def draw_points(dots: Sequence[Dot], along: str, scale: Scale) -> str:
    """Draw a point with its interval for each dot, at the number in its label, as SVG."""
    values = [{**dot.as_dict(), "at": float(dot.label)} for dot in dots]
    axis = {"title": printable(along), "tickCount": 6, "grid": False}
    place = {"x": {"field": "at", "type": "quantitative", "axis": axis}}
    return _draw(_upright_marks(dots, scale, _WIDTH), values, place, _WIDTH - 70, 320)


def _upright_marks(
    dots: Sequence[Dot], scale: Scale, width: int, curve: _Spec | None = None
) -> list[_Spec]:
    """Return the marks of dots whose values are read upwards, joined by a ``curve``."""
    axis, looks = _make_axis(scale), _series_styles(dots, width)
    y, colour = {"y": {"field": "value", **axis}}, {"color": looks["color"]}
    return [
        _interval_marks("y", "low_wide", axis, colour, strokeWidth=1.25),
        _interval_marks("y", "low", axis, colour, strokeWidth=4, opacity=0.4, strokeCap="round"),
        *([_make_layer("line", {**y, **colour, **curve}, strokeWidth=2)] if curve else []),
        _make_layer("point", {**y, **looks}, **_POINT),
    ]


def _interval_marks(across: str, low: str, axis: _Spec, colour: _Spec, **style: object) -> _Spec:
    ends = {across: {"field": low, **axis}, f"{across}2": {"field": low.replace("low", "high")}}
    return _make_layer("rule", {**ends, **colour}, f"isValid(datum.{low})", **style)


def _make_layer(mark: str, encoding: _Spec, where: str = "", **style: object) -> _Spec:
    chosen = {"transform": [{"filter": where}]} if where else {}
    return {"mark": {"type": mark, **style}, "encoding": encoding, **chosen}


def _encode(name: str, **settings: object) -> _Spec:
    return {"field": name, "type": "nominal", **settings}


def _make_axis(scale: Scale) -> _Spec:
    ends: _Spec = {"domain": [scale.low, scale.high]}
    axis: _Spec = {"title": printable(scale.title), "tickCount": 6}
    axis |= {"format": ",~f", "labelOverlap": not scale.log}
    if scale.log:  # 1, 2 and 5 in each power of ten; of many powers 1 alone.
        ends["type"] = "log"
        powers = range(round(log10(scale.low)), round(log10(scale.high)) + 1)
        digits = (1,) if len(powers) >= 5 else (1, 2, 5)
        numbers = [digit * 10.0**power for power in powers for digit in digits]
        axis["values"] = [number for number in numbers if scale.low <= number <= scale.high]
    return {"type": "quantitative", "scale": ends, "axis": axis}


def _make_legend(series: Sequence[str], width: int) -> _Spec | None:
    if len(series) < 2:
        return None
    columns = max(1, int(width // (_CHARACTER * min(40, max(map(len, series))) + 40)))
    looks = {"labelLimit": min(260, width - 40), "symbolOpacity": 1, "columns": columns}
    return {"title": None, "orient": "top", "direction": "horizontal", **looks}


def _series_styles(dots: Sequence[Dot], width: int) -> _Spec:
    """Return the colour and the shape of each series; no two have both in common."""
    series = [printable(name) for name in dict.fromkeys(dot.series for dot in dots)]
    legend, places = _make_legend(series, width), range(len(series))
    colours = [_SERIES[n % len(_SERIES)] for n in places]
    shapes = [_SHAPES[(n + n // len(_SERIES)) % len(_SHAPES)] for n in places]
    return {
        name: _encode("series", scale={"domain": series, "range": looks}, legend=legend)
        for name, looks in (("color", colours), ("shape", shapes))
    }


def _draw(
    layers: list[_Spec],
    values: Sequence[_Spec],
    place: _Spec,
    width: int,
    height: int,
    labels: Sequence[str] = (),
) -> str:
    """Return layers as one SVG in the style of the page; ``labels`` name the rows of a chart."""
    if labels:
        names = {"title": None, "labelLimit": _LABEL_WIDTH - 16, "ticks": False, "domain": False}
        axis = {**names, "labelPadding": 12}
        bands = {"paddingOuter": 0, "paddingInner": 0}
        place = {"y": _encode("label", sort=labels, axis=axis, scale=bands), **place}
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
    # Screen readers skip the drawing: the page has a title and a table of its figures.
    svg = svg.replace("<svg ", '<svg aria-hidden="true" ', 1)
    return _COLOUR.sub(lambda match: f"var(--{_VARIABLES[match[0]]})", svg)
