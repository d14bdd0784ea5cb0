"""EventQA: after some events of a novel, which of six events comes next?

The question carries the events so far, the options as a list literal and the task. The gold is
always one of the options.
"""

from __future__ import annotations

from mabench.families.family import ANSWER, MEMORIZE, PLAIN_CHUNK, Family, ScoringInput
from mabench.families.units import paragraphs
from mabench.scoring import correct_choice, eventqa_recall, parsed_only

_PROMPT = """\
What you remember is a book, told in order. Below stand events from it and a list of events of \
which exactly one comes next in the book. Reply with that event, word for word as in the list, \
and nothing else.

Now Answer the Question: {question}
Answer:"""

METRIC = "substring_exact_match"


def _official(scored: ScoringInput) -> dict[str, float]:
    return {
        **parsed_only(scored.prediction, scored.answers),
        "eventqa_recall": eventqa_recall(scored.prediction, scored.answers),
    }


FAMILY = Family(
    name="eventqa",
    prompts={MEMORIZE: PLAIN_CHUNK, ANSWER: _PROMPT},
    units=paragraphs,
    metric=METRIC,
    official=_official,
    corrected=lambda scored: {
        METRIC: correct_choice(scored.prediction, scored.answers, scored.question or "")
    },
)
