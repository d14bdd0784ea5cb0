"""Races: agents over the same histories, one after the other, until it is plain who is better.

``race`` runs them, ``run_race`` yields how they stand after each history, and ``open_race`` tells
it from the run folders.
"""

from mabench.races.racing import race, run_race
from mabench.races.standing import Look, Race, open_race, settle

__all__ = ["Look", "Race", "open_race", "race", "run_race", "settle"]
