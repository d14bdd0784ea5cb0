"""EventQA: after some events of a novel, which of six events comes next?

The question carries the events so far, the options as a list literal and the task. The gold is
always one of the options.
"""

from __future__ import annotations

from mabench.families.family import Family, budgets, by_rule
from mabench.families.parts import GOLD_NOT_OFFERED, golds_are_options, paragraphs, read_prompts
from mabench.scoring import correct_choice, eventqa_recall, parsed_only

FAMILY = Family(
    name="eventqa",
    prompts=read_prompts("eventqa"),
    units=paragraphs,
    budgets=budgets(paper=(4096, 40), repository=(4096, 40)),
    metric="substring_exact_match",
    official=lambda case: {
        **parsed_only(case.prediction, case.answers),
        "eventqa_recall": eventqa_recall(case.prediction, case.answers),
    },
    corrected=by_rule("substring_exact_match", correct_choice),
    no_form=("no-answer", "no-option"),
    row_checks=(golds_are_options,),
    repeated_ids=None,  # They restart in every row.
    audit_checks=(GOLD_NOT_OFFERED,),
)
