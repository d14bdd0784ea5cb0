"""DetectiveQA: four-option questions about a detective novel.

The question carries a worked example before the question proper. Golds name letter and text,
such as ``C. The gardener``.
"""

from __future__ import annotations

from mabench.families.family import Family, budgets, by_rule
from mabench.families.parts import GOLD_NOT_OFFERED, golds_are_options, paragraphs
from mabench.scoring import correct_choice

_PROMPT = """\
What you remember is a detective story. Work out the answer to the question below from its clues. \
Reply with the letter and the text of the one right option, as in "B. The text of option B", and \
nothing else.

Now Answer the Question: {question}
Answer:"""

FAMILY = Family(
    name="detective",
    prompts={"answer": _PROMPT},
    units=paragraphs,
    budgets=budgets(paper=(4096, 500), repository=(4096, 2000)),
    metric="exact_match",
    corrected=by_rule("exact_match", correct_choice),
    no_form=("no-answer", "no-option"),
    row_checks=(golds_are_options,),
    audit_checks=(GOLD_NOT_OFFERED,),
)
