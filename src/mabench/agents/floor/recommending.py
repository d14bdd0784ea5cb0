"""Recommending: what goes with the items and words of the dialogue at hand."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.agents.extractive.dialogues import dialogues_in
from mabench.agents.extractive.items import Titles, learn_titles
from mabench.agents.extractive.recommendations import numbered
from mabench.agents.floor.taste import Taste, Turn, learn_taste, turn_of
