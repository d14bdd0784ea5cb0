"""FactConsolidation: a numbered list of facts in which later facts supersede earlier ones.

Questions ask one fact (sh) or a chain of facts (mh); the gold is always a single string.
"""

from __future__ import annotations

import re

from mabench.families.family import ANSWER, MEMORIZE, PLAIN_CHUNK, Family
from mabench.families.units import split_after
from mabench.scoring import correct_answer, raw_or_parsed

_LINE_END = re.compile(r"\n+")

_PROMPT = """\
What you remember holds a numbered list of facts about the world. Some facts contradict earlier \
ones: of two that disagree, the one with the larger serial number is true, whatever you know from \
elsewhere. A question may need several facts one after the other. Reply with the answer alone, in \
as few words as possible.

Now Answer the Question: {question}
Answer:"""

METRIC = "substring_exact_match"

FAMILY = Family(
    name="factconsolidation",
    prompts={MEMORIZE: PLAIN_CHUNK, ANSWER: _PROMPT},
    units=lambda context: split_after(_LINE_END, context),
    metric=METRIC,
    official=lambda scored: raw_or_parsed(scored.prediction, scored.answers),
    corrected=lambda scored: {
        METRIC: correct_answer(scored.prediction, scored.answers, scored.question or "")
    },
    gold_in_text=lambda answers: True,
)
