"""Writes durations for readers, in a suitable unit."""

from __future__ import annotations


def write_seconds(seconds: float) -> str:
    """Return seconds with three digits, such as 23 \N{MICRO SIGN}s, 4.5 ms or 1,200 s."""
    rounded = float(f"{seconds:.3g}")
    if rounded < 0.001:
        return f"{1e6 * rounded:.3g} \N{MICRO SIGN}s"
    if rounded < 1:
        return f"{1000 * rounded:.3g} ms"
    if rounded < 1000:
        return f"{rounded:.3g} s"
    return f"{rounded:,.0f} s"


def write_hours(hours: float | None) -> str | None:
    """Return a time in the largest suitable unit, such as 23 s, 4 min or 2.5 h; None for None."""
    if hours is None:
        return None
    if hours >= 1:
        return f"{hours:,.1f} h"
    minutes = 60 * hours
    if minutes >= 2:
        return f"{minutes:.0f} min"
    return f"{3600 * hours:.0f} s"
