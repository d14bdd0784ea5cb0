"""Passes the model calls of memories on to the model's server, and counts them on the way.

A memory never gets the real key, and its calls are never changed beyond asking for token counts.
"""

from mabench.metering.endpoint import RowEndpoint as RowEndpoint
from mabench.metering.meter import Meter as Meter
