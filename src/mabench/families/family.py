"""What a family of sources is: everything about it that the rest of mabench asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mabench.families.rubric import Rubric
from mabench.scoring import Catalogue, Corrected

MEMORIZE = "memorize"
ANSWER = "answer"

# A store is handed the history as it is, under every protocol; `--prompts` can wrap it.
PLAIN_CHUNK = "{chunk}"


class ScoringInput(NamedTuple):
    """What a scorer is given: one prediction with the question that it answers.

    ``question`` may be missing when answers are scored on their own; ``catalogue`` is there
    for recommendation rows only, when the entity file is known.
    """

    prediction: str
    answers: Sequence[str]
    question: str | None = None
    catalogue: Catalogue | None = None


Official = Callable[[ScoringInput], dict[str, float]]
Correction = Callable[[ScoringInput], dict[str, Corrected]]


@dataclass(frozen=True, slots=True)
class Family:
    """A family of sources that share their form, prompt and scoring.

    Attributes:
        name: the family's name, as in the inventory and in a prompts file.
        prompts: template by role; ``{question}`` stands in ``answer``, ``{chunk}`` in
            ``memorize``. A judge's prompts are apart.
        units: cuts a context into the pieces that no chunk may split; joined, they give the
            context back.
        metric: the metric that the paper reports for the family.
        official: the published metrics of one prediction, by name, from 0 to 1.
        corrected: the corrected value, with the rule that decided it, of each reported metric;
            empty where no deterministic rule can tell right from wrong.
        gold_in_text: whether one of these golds can be looked for in retrieved passages. Only
            where golds are taken from the history, so that one that stands in a passage may come
            from it: not labels, options, summaries, entities or answers in an annotator's words.
        ideal: the text of a perfect answer to a question with these answers.
        judge: how a language model judges answers, where the reported metric takes that.
        needs_entities: whether scoring takes the entity file of the data set.
    """

    name: str
    prompts: Mapping[str, str]
    units: Callable[[str], list[str]]
    metric: str
    official: Official
    corrected: Correction
    gold_in_text: Callable[[Sequence[str]], bool] = lambda answers: False
    ideal: Callable[[ScoringInput], str] = lambda scored: scored.answers[0]
    judge: Rubric | None = None
    needs_entities: bool = False


def search_query(prompt: str) -> str:
    """Return what a retrieval agent searches with, by the published protocol.

    That is the text after the last ``Now Answer the Question:``, else after the last
    ``Here is the conversation:``, else the whole prompt (benchmark.md §3).
    """
    for marker in ("Now Answer the Question:", "Here is the conversation:"):
        _, found, rest = prompt.rpartition(marker)
        if found and rest.strip():
            return rest.strip()
    return prompt
