"""What people ask an assistant on their phone: things from all walks of life."""

from __future__ import annotations

from mabench_synthetic.families.icl.intents import Intents
from mabench_synthetic.language.wordings import phrases, table

ASSISTANT = Intents(
    things=table("assistant", "things"),
    needs=table("assistant", "needs"),
    vague_things=("thing", "plan", "appointment", "one", "thing for {day}"),
    vague_needs=phrases("assistant", "vague_needs"),
    details=phrases("assistant", "details"),
    before_another=phrases("assistant", "before_another"),
    after_another=phrases("assistant", "after_another"),
    openers=phrases("assistant", "openers"),
    closers=phrases("assistant", "closers"),
)  # fmt: skip
