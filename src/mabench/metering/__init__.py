"""Meters the model calls of memories, which it passes on to the server of a model."""

from mabench.metering.endpoint import RowEndpoint as RowEndpoint
from mabench.metering.meter import Meter as Meter
