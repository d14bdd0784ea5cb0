"""Metering the model calls that a memory makes by itself, by a server in between."""

from mabench.metering.meter import Meter as Meter
