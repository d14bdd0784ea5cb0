"""Races: agents over the same histories, one after the other, until it is plain who is better.

``race`` runs them, and ``open_race`` tells from the run folders how a race stands.
"""

from mabench.races.racing import race
from mabench.races.standing import Race, RacePair, open_race, settle

__all__ = ["Race", "RacePair", "open_race", "race", "settle"]
