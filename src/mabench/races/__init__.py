"""Races: agents over the same histories, one after the other, until it is plain who is better."""

from mabench.races.racing import race as race
from mabench.races.racing import run_race as run_race
from mabench.races.standing import Race as Race
from mabench.races.standing import open_race as open_race
