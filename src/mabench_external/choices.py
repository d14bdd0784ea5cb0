"""Families of questions with lettered options: which letter an answer means, by published rules.

Each rule is that of one benchmark's own code. The corrected score is the same for all: the option
that a careful reader would say was chosen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mabench import scoring
from mabench.families.budget import set_budgets
from mabench.families.cutting import split_before
from mabench.families.family import Correction, Family, ScoringInput, correct_by_rule
from mabench.families.prompt_tables import read_prompts
from mabench.text.options import Option, parse_options

_PROMPTS = Path(__file__).with_name("prompts.toml")
_METRIC = "accuracy"
# A turn's line begins with its speaker, or with the date of its session.
_TURN = re.compile(
    r"^(?:\[[^\]\n]+\] )?(?:user|assistant|system|User|Assistant)\b:? ", re.MULTILINE
)
_DATED = re.compile(r"^\[[^\]\n]+\] ", re.MULTILINE)

# Whether an answer is right: of the prediction, the letter of the gold, and the options.
Rule = Callable[[str, str, Sequence[Option]], bool]


def letter_of(gold: str) -> str:
    """Return the letter of a gold such as ``C. Rice``."""
    return gold.partition(".")[0].strip()


def only_letter(prediction: str, gold: str, options: Sequence[Option]) -> bool:
    """Return whether the gold's letter is the only one that an answer names (PersonaMem).

    What follows the last ``<final_answer>`` is read first, then the whole answer. Letters in
    brackets count before bare ones, and only a to d are letters.
    """
    final = prediction.strip()
    if "<final_answer>" in final:
        final = final.split("<final_answer>")[-1].strip()
    final = final.removesuffix("</final_answer>").strip()
    return {gold.lower()} in (_letters_in(final), _letters_in(prediction))


def _letters_in(text: str) -> set[str]:
    lowered = text.lower()
    return {*re.findall(r"\(([a-d])\)", lowered)} or {*re.findall(r"\b([a-d])\b", lowered)}


# The forms of a final answer, in the order in which they are looked for (PersonaMem-v2, as of its
# commit 6a36975f; 00d1d33a has neither boxes nor "answer is").
_FINAL = tuple(
    re.compile(form, re.IGNORECASE | re.MULTILINE)
    for form in (
        r"\$\\boxed\{([A-Z])\}\$",
        r"\\boxed\{([A-Z])\}",
        r"Final Answer:\s*([A-Z])",
        r"Answer:\s*([A-Z])",
        r"Final Answer is\s*([A-Z])",
        r"The Answer is\s*([A-Z])",
        r"\b([A-Z])\.\s*$",
    )
)


def is_concluded(prediction: str, gold: str, options: Sequence[Option]) -> bool:
    """Return whether the option that an answer concludes with is the gold's (PersonaMem-v2).

    The forms of a conclusion are tried in order, and the first match of the first that matches
    counts. Texts are compared, as the published rule does: two options may have the same one.
    """
    matches = (form.search(prediction) for form in _FINAL)
    conclusion = next(filter(None, matches), None)
    if conclusion is None:
        return False
    texts = {option.letter: option.text for option in options}
    chosen = texts.get(conclusion[1].upper())
    return chosen is not None and chosen == texts.get(gold)


def same_letter(prediction: str, gold: str, options: Sequence[Option]) -> bool:
    """Return whether an answer is the gold's letter and nothing else (MemBench).

    Its code asks for an object with a ``choice``, or for a bare letter; blanks and ends of lines in
    an answer that is no such object do not count.
    """
    try:
        content = json.loads(prediction)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, Mapping):
        return content.get("choice") == gold
    return prediction.replace(" ", "").replace("\n", "") == gold


def choice_family(name: str, rule: Rule, turn: re.Pattern[str] = _TURN) -> Family:
    """Return the family of a benchmark whose answers are right or wrong by a rule."""

    def official(case: ScoringInput) -> Mapping[str, float]:
        options = parse_options(case.question or "")
        return {_METRIC: rule(case.prediction, letter_of(case.answers[0]), options)}

    corrected: Correction = correct_by_rule(_METRIC, scoring.correct_choice)
    return Family(
        name=name,
        prompts=read_prompts(name, _PROMPTS),
        units=lambda context: split_before(turn, context),
        budgets=set_budgets(paper=(512, 100), repository=(4096, 500)),
        metric=_METRIC,
        official=official,
        corrected=corrected,
        no_form=("no-answer", "no-option"),
        repeated_ids="warning",
    )


PERSONAMEM = choice_family("personamem", only_letter)
PERSONAMEM_V2 = choice_family("personamem_v2", is_concluded)
MEMBENCH = choice_family("membench", same_letter)
LIFEBENCH_OPTIONS = choice_family("lifebench_options", same_letter, _DATED)
