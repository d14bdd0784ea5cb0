"""EventQA: After some events of a novel, which of six events comes next?

The question holds the events so far, the options as a Python list, and the task. The gold is one of
the options.
"""

from __future__ import annotations

from mabench import scoring
from mabench.families.benchmark.choices import GOLD_NOT_OFFERED, check_options
from mabench.families.budget import set_budgets
from mabench.families.cutting import split_paragraphs
from mabench.families.family import Family, correct_by_rule
from mabench.families.prompt_tables import read_prompts

FAMILY = Family(
    name="eventqa",
    prompts=read_prompts("eventqa"),
    units=split_paragraphs,
    budgets=set_budgets(paper=(4096, 40), repository=(4096, 40)),
    metric="substring_exact_match",
    official=lambda case: {
        **scoring.parsed_only(case.prediction, case.answers),
        "eventqa_recall": scoring.eventqa_recall(case.prediction, case.answers),
    },
    corrected=correct_by_rule("substring_exact_match", scoring.correct_choice),
    no_form=("no-answer", "no-option"),
    row_checks=(check_options,),
    repeated_ids=None,  # They restart in every row.
    audit_checks=(GOLD_NOT_OFFERED,),
)
