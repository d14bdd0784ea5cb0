"""In-context learning: thousands of labelled texts, then a text to label.

The context is a list of demonstrations, a text and its numeric label each; the gold is the bare
number.
"""

from __future__ import annotations

import re

from mabench.families.family import ANSWER, MEMORIZE, PLAIN_CHUNK, Family
from mabench.families.units import split_after
from mabench.scoring import correct_label, parsed_only

_DEMONSTRATION_END = re.compile(r"^label: .*\n{2,}", re.MULTILINE)

_PROMPT = """\
What you remember holds many example texts, each followed by the number of its label. Decide \
which label the text below should have. Reply with the number of the label alone.

Now Answer the Question: {question}
Answer:"""

METRIC = "exact_match"

FAMILY = Family(
    name="icl",
    prompts={MEMORIZE: PLAIN_CHUNK, ANSWER: _PROMPT},
    units=lambda context: split_after(_DEMONSTRATION_END, context),
    metric=METRIC,
    official=lambda scored: parsed_only(scored.prediction, scored.answers),
    corrected=lambda scored: {
        METRIC: correct_label(scored.prediction, scored.answers, scored.question or "")
    },
)
