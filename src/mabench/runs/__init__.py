"""Runs: an agent over the rows of a data set, into a folder of results."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.runs.estimates import estimate_run as estimate_run
    from mabench.runs.execution import RunStoppedError as RunStoppedError
    from mabench.runs.execution import describe_run as describe_run
    from mabench.runs.execution import run as run
    from mabench.runs.execution import run_repeatedly as run_repeatedly
    from mabench.runs.opening import default_agent as default_agent
    from mabench.runs.opening import default_protocol as default_protocol
    from mabench.runs.opening import depth_of as depth_of
    from mabench.runs.sweeping import SweepPoint as SweepPoint
    from mabench.runs.sweeping import estimate_sweep as estimate_sweep
    from mabench.runs.sweeping import sweep as sweep
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
