"""RULER: Questions about single documents (qa1) or several (qa2).

Every document is a paragraph under its own heading. Each question has several golds.
"""

from __future__ import annotations

import re

from mabench import scoring
from mabench.families.budget import set_budgets
from mabench.families.cutting import split_before
from mabench.families.family import Family, correct_by_rule
from mabench.families.key_checks import CANDIDATES_CONTRADICT, GOLD_ABSENT, VERDICTS
from mabench.families.prompt_tables import read_prompts

_DOCUMENT = re.compile(r"^Document \d+:", re.MULTILINE)

FAMILY = Family(
    name="ruler",
    prompts=read_prompts("ruler"),
    units=lambda context: split_before(_DOCUMENT, context),
    budgets=set_budgets(paper=(512, 50), repository=(4096, 50)),
    metric="substring_exact_match",
    corrected=correct_by_rule("substring_exact_match", scoring.correct_answer),
    no_form=("no-answer", "no-verdict"),
    # A yes or no is concluded from passages; no passage contains it.
    gold_in_text=lambda answers: not set(map(scoring.normalize, answers)) <= VERDICTS,
    audit_checks=(GOLD_ABSENT, CANDIDATES_CONTRADICT),
)
