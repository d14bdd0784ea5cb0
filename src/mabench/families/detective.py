"""DetectiveQA: four-option questions about a detective novel.

The question carries a worked example before the question proper. Golds name letter and text,
such as ``C. The gardener``.
"""

from __future__ import annotations

from mabench.families.family import Family, budgets, by_rule
from mabench.families.parts import GOLD_NOT_OFFERED, golds_are_options, paragraphs, read_prompts
from mabench.scoring import correct_choice

FAMILY = Family(
    name="detective",
    prompts=read_prompts("detective"),
    units=paragraphs,
    budgets=budgets(paper=(4096, 500), repository=(4096, 2000)),
    metric="exact_match",
    corrected=by_rule("exact_match", correct_choice),
    no_form=("no-answer", "no-option"),
    row_checks=(golds_are_options,),
    audit_checks=(GOLD_NOT_OFFERED,),
)
