"""Races: agents run on the same histories, one by one, until it is clear which is better.

The run folders alone say how a race is going, and nothing else is remembered: a race that was
stopped decides as one that was not, after the same history.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.races.running import race as race
    from mabench.races.running import run_race as run_race
    from mabench.races.state import Race as Race
    from mabench.races.state import open_race as open_race
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
