"""Passes the model calls of memories on to the model's server, and counts them on the way.

A memory never gets the real key, and its calls are never changed beyond asking for token counts.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.metering.endpoint import RowEndpoint as RowEndpoint
    from mabench.metering.meter import Meter as Meter
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
