"""Metering the model calls that a memory makes by itself, by a server in between."""

from mabench.metering.bounds import Bounds
from mabench.metering.calls import Call, Moment
from mabench.metering.keeping import Keeper
from mabench.metering.meter import Meter
from mabench.metering.seats import Seat
from mabench.metering.usage import Usage

__all__ = ["Bounds", "Call", "Keeper", "Meter", "Moment", "Seat", "Usage"]
