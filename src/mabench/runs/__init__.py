"""Runs: an agent over the rows of a data set, into a folder of results."""

from mabench.runs.execution import RunStoppedError, run, run_repeatedly
from mabench.runs.opening import default_agent, depth_of, estimate_run
from mabench.runs.sweeping import SweepPoint, estimate_sweep, sweep

__all__ = [
    "RunStoppedError",
    "SweepPoint",
    "default_agent",
    "depth_of",
    "estimate_run",
    "estimate_sweep",
    "run",
    "run_repeatedly",
    "sweep",
]
