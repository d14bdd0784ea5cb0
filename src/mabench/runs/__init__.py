"""Runs: an agent over the rows of a data set, into a folder of results."""

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
