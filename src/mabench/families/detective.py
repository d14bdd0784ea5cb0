"""DetectiveQA: four-option questions about a detective novel.

The question carries a worked example before the question proper. Golds name letter and text,
such as ``C. The gardener``.
"""

from __future__ import annotations

from mabench.families.family import ANSWER, MEMORIZE, PLAIN_CHUNK, Family
from mabench.families.units import paragraphs
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
    prompts={MEMORIZE: PLAIN_CHUNK, ANSWER: _PROMPT},
    units=paragraphs,
    metric=METRIC,
    official=lambda scored: raw_or_parsed(scored.prediction, scored.answers),
    corrected=lambda scored: {
        METRIC: correct_choice(scored.prediction, scored.answers, scored.question or "")
    },
)
