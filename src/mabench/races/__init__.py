"""Races: agents over the same histories, one after the other, until it is plain who is better."""

from mabench.races.racing import race, run_race
from mabench.races.standing import Race, open_race

__all__ = ["Race", "open_race", "race", "run_race"]
