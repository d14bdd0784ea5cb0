"""Short commands to a house: the same few things, told apart by little words."""

from __future__ import annotations

from mabench_synthetic.families.icl.intents import Intents
from mabench_synthetic.language.wordings import phrases, table

HOUSE = Intents(
    things=table("house", "things"),
    needs=table("house", "needs"),
    vague_things=("thing", "other one", "machine", "whole house", "last one"),
    vague_needs=phrases("house", "vague_needs"),
    details=phrases("house", "details"),
    before_another=phrases("house", "before_another"),
    after_another=phrases("house", "after_another"),
    openers=phrases("house", "openers"),
    closers=phrases("house", "closers"),
)  # fmt: skip
