"""RULER question answering: questions about single documents (qa1) or several (qa2).

Every document is a paragraph under a heading of its own; each question has several golds.
"""

from __future__ import annotations

import re

from mabench.families.family import Family, budgets, by_rule
from mabench.families.parts import (
    CANDIDATES_CONTRADICT,
    GOLD_ABSENT,
    read_prompts,
    split_before,
)
from mabench.scoring import correct_answer, normalize
from mabench.scoring.corrected.rule import VERDICTS

_DOCUMENT = re.compile(r"^Document \d+:", re.MULTILINE)

FAMILY = Family(
    name="ruler",
    prompts=read_prompts("ruler"),
    units=lambda context: split_before(_DOCUMENT, context),
    budgets=budgets(paper=(512, 50), repository=(4096, 50)),
    metric="substring_exact_match",
    corrected=by_rule("substring_exact_match", correct_answer),
    no_form=("no-answer", "no-verdict"),
    # Whether two things agree is concluded from passages, and stands in none.
    gold_in_text=lambda answers: not set(map(normalize, answers)) <= VERDICTS.keys(),
    audit_checks=(GOLD_ABSENT, CANDIDATES_CONTRADICT),
)
