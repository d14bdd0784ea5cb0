"""DetectiveQA: Four-option questions about a detective novel.

A worked example precedes the question proper. Golds name letter and text, such as
``C. The gardener``.
"""

from __future__ import annotations

from mabench import scoring
from mabench.families.benchmark.choices import GOLD_NOT_OFFERED, check_options
from mabench.families.budget import set_budgets
from mabench.families.cutting import split_paragraphs
from mabench.families.family import Family, correct_by_rule
from mabench.families.prompt_tables import read_prompts

FAMILY = Family(
    name="detective",
    prompts=read_prompts("detective"),
    units=split_paragraphs,
    budgets=set_budgets(paper=(4096, 500), repository=(4096, 2000)),
    metric="exact_match",
    corrected=correct_by_rule("exact_match", scoring.correct_choice),
    no_form=("no-answer", "no-option"),
    row_checks=(check_options,),
    audit_checks=(GOLD_NOT_OFFERED,),
)
