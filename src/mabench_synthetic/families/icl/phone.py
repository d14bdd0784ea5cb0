"""What customers ask their telephone company: one narrow field, whose things share words."""

from __future__ import annotations

from mabench_synthetic.families.icl.intents import Intents
from mabench_synthetic.language.wordings import phrases, table

PHONE = Intents(
    things=table("phone", "things"),
    needs=table("phone", "needs"),
    vague_things=("order", "thing", "request", "service", "thing I asked for", "product"),
    vague_needs=phrases("phone", "vague_needs"),
    details=phrases("phone", "details"),
    before_another=phrases("phone", "before_another"),
    after_another=phrases("phone", "after_another"),
    openers=phrases("phone", "openers"),
    closers=phrases("phone", "closers"),
)  # fmt: skip
