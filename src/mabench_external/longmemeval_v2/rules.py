r"""The four rules by which LongMemEval-V2 scores answers without a judge (arXiv 2605.12493).

A question names its rule with settings, as in ``norm_phrase_set_match|separators=;``. What is in
the last ``\boxed{}`` of an answer is scored, or all of it without one; ``UNKNOWN`` is never right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mabench.families.budget import set_budgets
from mabench.families.cutting import split_before
from mabench.families.family import Family, ScoringInput
from mabench.families.prompt_tables import read_prompts

_PROMPTS = Path(__file__).parents[1] / "prompts.toml"
_METRIC = "accuracy"
_BOX = "\\boxed{"
# Words that name no letter of a multiple choice.
_NO_LETTERS = frozenset(
    [
        "AND",
        "ANSWER",
        "ANSWERS",
        "CHOICE",
        "CHOICES",
        "FINAL",
        "LETTER",
        "LETTERS",
        "OPTION",
        "OPTIONS",
    ]
)
# Between the name of a question's ability and its rule, in its type.
SEPARATOR = ": "
_STEP = re.compile(r"^\[[^\]\n]+\] ", re.MULTILINE)


@dataclass(frozen=True)
class Settings:
    """What a question sets of its rule."""

    lower: bool = True
    normalize_hyphen: bool = True
    strip_punct: bool = True
    require_non_empty: bool = True
    separators: tuple[str, ...] = (",", ";")
    strip_chars: str = "."


def read_rule(text: str) -> tuple[str, Settings]:
    """Return the name of a rule and its settings; raises ``ValueError`` for others."""
    name, *parts = (part.strip() for part in text.split("|"))
    if name not in RULES:
        raise ValueError(f"no rule {name!r}; known: {', '.join(RULES)}")
    given: dict[str, object] = {}
    for part in filter(None, parts):
        setting, equals, value = (one.strip() for one in part.partition("="))
        if not equals or setting not in Settings.__dataclass_fields__ or setting in given:
            raise ValueError(f"no setting {part!r}, or a second one")
        given[setting] = _value_of(setting, value)
    return name, Settings(**given)  # type: ignore[arg-type]


def _value_of(setting: str, value: str) -> object:
    if setting == "separators":
        is_list = value.startswith("[") and value.endswith("]")
        signs = json.loads(value) if is_list else [sign for sign in value if sign.strip()]
        if not all(isinstance(sign, str) for sign in signs):
            raise ValueError(f"{setting} is {value!r}; expected texts")
        return tuple(signs)
    if setting == "strip_chars":
        return value
    if value.lower() not in ("true", "false"):
        raise ValueError(f"{setting} is {value!r}; expected true or false")
    return value.lower() == "true"


def boxed(answer: str) -> str:
    """Return what the last box holds, whose braces may hold others; else the whole answer."""
    _, found, rest = answer.rpartition(_BOX)
    if not found:
        return answer.strip()
    depth, end = 1, len(rest)
    for place, sign in enumerate(rest):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            end = place
            break
    return rest[:end].strip() or answer.strip()


def _plain(text: str, settings: Settings) -> str:
    """Return a phrase as phrases are compared."""
    text = text.lower() if settings.lower else text
    text = text.replace("-", " ").replace("_", " ") if settings.normalize_hyphen else text
    text = re.sub(r"[,;]", " ", text)
    text = re.sub(r"[^\w\s]", "", text) if settings.strip_punct else text
    return " ".join(text.split())


def _phrases(text: str, settings: Settings) -> list[str]:
    signs = "|".join(map(re.escape, settings.separators))
    parts = re.split(signs, text) if settings.separators else [text]
    return [phrase for part in parts if (phrase := _plain(part, settings))]


def _is_askable(said: object, wanted: object, settings: Settings) -> bool:
    return not settings.require_non_empty or bool(said and wanted)


def phrases_in(prediction: str, gold: str, settings: Settings) -> bool:
    """Return whether an answer has every phrase of the gold, each as whole words."""
    said, wanted = _plain(prediction, settings), _phrases(gold, settings)
    found = all(re.search(rf"\b{re.escape(phrase)}\b", said) for phrase in wanted)
    return _is_askable(said, wanted, settings) and found


def phrases_in_order(prediction: str, gold: str, settings: Settings) -> bool:
    """Return whether an answer has every phrase of the gold, one behind the other."""
    said, wanted = _plain(prediction, settings), _phrases(gold, settings)
    if not _is_askable(said, wanted, settings):
        return False
    for phrase in wanted:
        match = re.search(rf"\b{re.escape(phrase)}\b", said)
        if match is None:
            return False
        said = said[match.end() :]
    return True


def same_choice(prediction: str, gold: str, settings: Settings) -> bool:
    """Return whether an answer is the gold's letter, with or without ``choice`` or ``option``."""
    box = re.search(r"\\boxed\{([^}]*)\}", prediction.lower())
    said = re.sub(r"\b(?:choice|option)\b", "", box[1] if box else prediction, flags=re.IGNORECASE)
    for sign in settings.strip_chars:
        said = said.replace(sign, "")
    said, wanted = said.strip().upper(), gold.strip().upper()
    return _is_askable(said, wanted, settings) and said == wanted


def same_choices(prediction: str, gold: str, settings: Settings) -> bool:
    """Return whether an answer names the letters of the gold and no others."""
    said, wanted = _letters(prediction), _letters(gold)
    return _is_askable(said, wanted, settings) and said == wanted


def _letters(text: str) -> set[str]:
    words = set(re.findall(r"[A-Z]+", text.upper())) - _NO_LETTERS
    return {letter for word in words for letter in word}


RULES: Mapping[str, Callable[[str, str, Settings], bool]] = {
    "norm_phrase_set_match": phrases_in,
    "norm_phrase_set_match_ordered": phrases_in_order,
    "mc_choice_match": same_choice,
    "mc_choice_set_match": same_choices,
}


def is_right(answer: str, gold: str, rule: str) -> bool:
    """Return whether an answer is right by a rule, as a question names it."""
    name, settings = read_rule(rule)
    parsed = boxed(answer)
    return parsed.lower() != "unknown" and RULES[name](parsed, gold, settings)


def _official(case: ScoringInput) -> Mapping[str, float]:
    _, _, rule = (case.question_type or "").partition(SEPARATOR)
    try:
        right = any(is_right(case.prediction, gold, rule) for gold in case.answers)
    except ValueError:  # A user's own rows may have other types.
        right = any(
            is_right(case.prediction, gold, "norm_phrase_set_match") for gold in case.answers
        )
    return {_METRIC: right}


def _ideal(case: ScoringInput) -> str:
    return f"{_BOX}{case.answers[0]}}}"


FAMILY = Family(
    name="longmemeval_v2",
    prompts=read_prompts("longmemeval_v2", _PROMPTS),
    units=lambda context: split_before(_STEP, context),
    budgets=set_budgets(paper=(2048, 500), repository=(4096, 500)),
    metric=_METRIC,
    official=_official,
    ideal=_ideal,
    repeated_ids="warning",
)
NAMES: Sequence[str] = (*RULES, "llm_abstention_checker", "llm_gotchas_checker")
