"""InfiniteBench summaries: write a summary of a whole novel.

The question gives the task and two worked examples. The paper scores the summary by a language
model's verdicts on fluency, key points and supported sentences; the text metrics stand beside.
"""

from __future__ import annotations

from mabench.metrics import raw_or_parsed
from mabench.sources.family import ANSWER, MEMORIZE, PLAIN_CHUNK, Family
from mabench.sources.units import paragraphs

_PROMPT = """\
What you remember is a book, told in order. Do what is asked below about the whole book, from its \
beginning to its end.

Now Answer the Question: {question}
Summary:"""

FAMILY = Family(
    name="infbench",
    prompts={MEMORIZE: PLAIN_CHUNK, ANSWER: _PROMPT},
    units=paragraphs,
    metric="judge_f1",
    official=lambda scored: raw_or_parsed(scored.prediction, scored.answers),
    corrected=lambda scored: {},
    needs_judge=True,
)
