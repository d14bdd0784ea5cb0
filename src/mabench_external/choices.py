"""Families of benchmarks whose questions offer lettered options: PersonaMem, MemBench, LifeBench.

A gold is such as ``C. Rice``. Each benchmark's own code has a rule that says whether an answer
chooses the gold's option; these rules are rewritten here and give the published score. The
corrected score is the same for all: whether a careful reader would say that the gold's option was
chosen.
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

# A published rule: says whether an answer is right, given the answer, the letter of the gold, and
# the options of the question.
Rule = Callable[[str, str, Sequence[Option]], bool]


def letter_of(gold: str) -> str:
    """Return the letter of a gold such as ``C. Rice``."""
    return gold.partition(".")[0].strip()


def only_letter(prediction: str, gold_letter: str, options: Sequence[Option]) -> bool:
    """Return whether an answer names the gold's letter and no other (PersonaMem).

    It is enough that this is so of what follows the last ``<final_answer>``, or of the whole
    answer. The published rule does not look at the options.
    """
    final_answer = prediction.strip()
    if "<final_answer>" in final_answer:
        final_answer = final_answer.split("<final_answer>")[-1].strip()
    final_answer = final_answer.removesuffix("</final_answer>").strip()
    only_the_gold = {gold_letter.lower()}
    return _letters_in(final_answer) == only_the_gold or _letters_in(prediction) == only_the_gold


def _letters_in(text: str) -> set[str]:
    """Return the letters from a to d that a text names in brackets; without any, the bare ones."""
    lowered = text.lower()
    in_brackets = set(re.findall(r"\(([a-d])\)", lowered))
    if in_brackets:
        return in_brackets
    return set(re.findall(r"\b([a-d])\b", lowered))


# The forms in which an answer concludes with a letter, in the order in which PersonaMem-v2 tries
# them, as of its commit 6a36975f (00d1d33a has neither boxes nor "answer is"); the group is the
# letter.
_CONCLUSIONS = tuple(
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


def is_concluded(prediction: str, gold_letter: str, options: Sequence[Option]) -> bool:
    """Return whether the option that an answer concludes with is the gold's (PersonaMem-v2).

    The published rule compares the texts of the two options, not their letters: two options may
    have the same text.
    """
    letter = _concluded_letter(prediction)
    if letter is None:
        return False
    text_by_letter = {option.letter: option.text for option in options}
    chosen_text = text_by_letter.get(letter)
    return chosen_text is not None and chosen_text == text_by_letter.get(gold_letter)


def _concluded_letter(prediction: str) -> str | None:
    """Return the letter, in upper case, that an answer concludes with; None if there is none."""
    for form in _CONCLUSIONS:
        match = form.search(prediction)
        if match is not None:
            return match[1].upper()
    return None


def same_letter(prediction: str, gold_letter: str, options: Sequence[Option]) -> bool:
    """Return whether an answer is the gold's letter and nothing else (MemBench).

    The benchmark asks for a JSON object such as ``{"choice": "B"}``, but a bare letter is read as
    well. Spaces and line ends around or within a bare letter do not count.
    """
    try:
        parsed = json.loads(prediction)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, Mapping):
        return parsed.get("choice") == gold_letter
    return prediction.replace(" ", "").replace("\n", "") == gold_letter


def choice_family(name: str, rule: Rule, turn: re.Pattern[str] = _TURN) -> Family:
    """Return the family of a benchmark whose answers are right or wrong by a published rule.

    ``turn`` matches the beginning of each turn in a history, where the history may be cut.
    """

    def official(case: ScoringInput) -> Mapping[str, float]:
        """Return the published score of an answer: whether it is right."""
        options = parse_options(case.question or "")
        gold_letter = letter_of(case.answers[0])
        return {_METRIC: rule(case.prediction, gold_letter, options)}

    corrected: Correction = correct_by_rule(_METRIC, scoring.correct_choice)
    return Family(
        name=name,
        prompts=read_prompts(name, _PROMPTS),
        units=lambda context: split_before(turn, context),
        # Tokens of a chunk and of an answer, by protocol.
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
