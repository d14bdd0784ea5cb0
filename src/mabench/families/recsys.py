"""Recommendation (ReDial): dialogues about films, then a dialogue to answer with suggestions.

Golds are entity ids; a prediction is a numbered list of titles. Scoring takes the data set's
entity file.
"""

from __future__ import annotations

import re

from mabench.families.family import ANSWER, MEMORIZE, PLAIN_CHUNK, Family, ScoringInput
from mabench.families.units import split_before

_DIALOGUE = re.compile(r"^Dialogue \d+:", re.MULTILINE)

_PROMPT = """\
What you remember holds dialogues in which films are recommended. Below is a dialogue that breaks \
off at the recommender's turn. Recommend 20 films that this user will like best and that the \
dialogue has not named, as a numbered list with one title a line, the best first, and nothing else.

Here is the conversation: {question}

Recommendations:
"""


def _official(scored: ScoringInput) -> dict[str, float]:
    if scored.catalogue is None:
        return {}
    return scored.catalogue.recall(scored.prediction, scored.answers)


def _ideal(scored: ScoringInput) -> str:
    if scored.catalogue is None:
        return ""
    titles = scored.catalogue.titles(scored.answers)
    listed = "\n".join(f"{number}. {title}" for number, title in enumerate(titles, start=1))
    # The published parser cuts at the first "1." and then drops digits that open the line: a
    # second number saves the first title's own, as in "21 Jump Street".
    return f"1. {listed}" if titles and titles[0][:1].isdigit() else listed


FAMILY = Family(
    name="recsys",
    prompts={MEMORIZE: PLAIN_CHUNK, ANSWER: _PROMPT},
    units=lambda context: split_before(_DIALOGUE, context),
    metric="recsys_recall@5",
    official=_official,
    corrected=lambda scored: (
        {}
        if scored.catalogue is None
        else scored.catalogue.corrected(scored.prediction, scored.answers)
    ),
    ideal=_ideal,
    needs_entities=True,
)
