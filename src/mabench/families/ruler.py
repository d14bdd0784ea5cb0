"""RULER question answering: questions about single documents (qa1) or several (qa2).

Every document is a paragraph under a heading of its own; each question has several golds.
"""

from __future__ import annotations

import re

from mabench.families.family import ANSWER, MEMORIZE, PLAIN_CHUNK, Family
from mabench.families.units import split_before
from mabench.scoring import correct_answer, normalize, raw_or_parsed

_DOCUMENT = re.compile(r"^Document \d+:", re.MULTILINE)

_PROMPT = """\
What you remember holds a collection of documents. Answer the question from them. Reply with the \
answer alone, in as few words as possible and without any explanation.

Now Answer the Question: {question}
Answer:"""

_VERDICTS = frozenset({"yes", "no"})

METRIC = "substring_exact_match"

FAMILY = Family(
    name="ruler",
    prompts={MEMORIZE: PLAIN_CHUNK, ANSWER: _PROMPT},
    units=lambda context: split_before(_DOCUMENT, context),
    metric=METRIC,
    official=lambda scored: raw_or_parsed(scored.prediction, scored.answers),
    corrected=lambda scored: {
        METRIC: correct_answer(scored.prediction, scored.answers, scored.question or "")
    },
    # Whether two things agree is concluded from passages, and stands in none.
    gold_in_text=lambda answers: not _VERDICTS.issuperset(map(normalize, answers)),
)
