"""DetectiveQA: four-option questions about a detective novel.

The question carries a worked example before the question proper. Golds name letter and text,
such as ``C. The gardener``.
"""

from __future__ import annotations

from mabench.families.family import Family, budgets, prompts
from mabench.families.parts import GOLD_NOT_OFFERED, golds_are_options, paragraphs
from mabench.scoring import correct_choice, raw_or_parsed

_PROMPT = """\
What you remember is a detective story. Work out the answer to the question below from its clues. \
Reply with the letter and the text of the one right option, as in "B. The text of option B", and \
nothing else.

Now Answer the Question: {question}
Answer:"""

METRIC = "exact_match"

FAMILY = Family(
    name="detective",
    prompts=prompts(_PROMPT),
    units=paragraphs,
    budgets=budgets(paper=(4096, 500), repository=(4096, 2000)),
    metric=METRIC,
    official=lambda case: raw_or_parsed(case.prediction, case.answers),
    corrected=lambda case: {
        METRIC: correct_choice(case.prediction, case.answers, case.question or "")
    },
    row_checks=(golds_are_options,),
    audit_checks=(GOLD_NOT_OFFERED,),
)
