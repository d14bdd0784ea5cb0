r"""The four rules by which LongMemEval-V2 scores answers without a judge (arXiv 2605.12493).

The type of a question ends with its rule and the rule's settings, as in
``ability: norm_phrase_set_match|separators=;``. What is in the last ``\boxed{}`` of an answer is
scored, or the whole answer if it has none; ``UNKNOWN`` is never right.
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
# Words of an answer to a multiple choice whose characters are not the letters of options.
_WORDS_BESIDE_LETTERS = frozenset(
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
_DEFAULT_RULE = "norm_phrase_set_match"
_STEP = re.compile(r"^\[[^\]\n]+\] ", re.MULTILINE)


@dataclass(frozen=True)
class Settings:
    """The settings of a question's rule, by the names that the benchmark gives them."""

    lower: bool = True  # Whether upper and lower case are the same.
    normalize_hyphen: bool = True  # Whether hyphens and underscores are spaces.
    strip_punct: bool = True  # Whether other punctuation does not count.
    require_non_empty: bool = True  # Whether an empty answer or gold is never right.
    separators: tuple[str, ...] = (",", ";")  # What the phrases of a gold have between them.
    strip_chars: str = "."  # Characters of a chosen letter that do not count.


def read_rule(text: str) -> tuple[str, Settings]:
    """Return the name of the rule that a question names, and its settings.

    Raises ``ValueError`` for an unknown rule, an unknown setting or one that is given twice.
    """
    name, *assignments = (part.strip() for part in text.split("|"))
    if name not in RULES:
        raise ValueError(f"no rule {name!r}; known: {', '.join(RULES)}")
    given: dict[str, object] = {}
    for assignment in assignments:
        if not assignment:
            continue
        setting, equals, value = (part.strip() for part in assignment.partition("="))
        if not equals or setting not in Settings.__dataclass_fields__ or setting in given:
            raise ValueError(f"no setting {assignment!r}, or a second one")
        given[setting] = _parse_setting(setting, value)
    return name, Settings(**given)  # type: ignore[arg-type]


def _parse_setting(setting: str, value: str) -> object:
    """Return the value of a setting, in the type of its field in ``Settings``.

    Separators are a JSON list such as ``["and", ";"]``, or single characters such as ``,;``.
    """
    if setting == "separators":
        is_list = value.startswith("[") and value.endswith("]")
        separators = json.loads(value) if is_list else [sign for sign in value if sign.strip()]
        if not all(isinstance(separator, str) for separator in separators):
            raise ValueError(f"{setting} is {value!r}; expected texts")
        return tuple(separators)
    if setting == "strip_chars":
        return value
    if value.lower() not in ("true", "false"):
        raise ValueError(f"{setting} is {value!r}; expected true or false")
    return value.lower() == "true"


def boxed(answer: str) -> str:
    r"""Return what the last ``\boxed{...}`` of an answer holds, which may have braces in it.

    Without a box, or with an empty one, this is the whole answer.
    """
    _, box, rest = answer.rpartition(_BOX)
    if not box:
        return answer.strip()
    content = rest[: _closing_brace(rest)].strip()
    return content or answer.strip()


def _closing_brace(text: str) -> int:
    """Return the place of the brace that closes one opened before a text; its end without one."""
    open_braces = 1
    for place, character in enumerate(text):
        if character == "{":
            open_braces += 1
        elif character == "}":
            open_braces -= 1
        if open_braces == 0:
            return place
    return len(text)


def _normalize(text: str, settings: Settings) -> str:
    """Return a text as it is compared with others: without what the settings say not to count."""
    normalized = text
    if settings.lower:
        normalized = normalized.lower()
    if settings.normalize_hyphen:
        normalized = normalized.replace("-", " ").replace("_", " ")
    normalized = re.sub(r"[,;]", " ", normalized)
    if settings.strip_punct:
        normalized = re.sub(r"[^\w\s]", "", normalized)
    return " ".join(normalized.split())


def _phrases(gold: str, settings: Settings) -> list[str]:
    """Return the normalized phrases of a gold, which are between its separators."""
    pattern = "|".join(map(re.escape, settings.separators))
    parts = re.split(pattern, gold) if settings.separators else [gold]
    normalized = [_normalize(part, settings) for part in parts]
    return [phrase for phrase in normalized if phrase]


def _is_too_empty(said: object, wanted: object, settings: Settings) -> bool:
    """Return whether the answer or the gold is empty, and the settings call that wrong."""
    return settings.require_non_empty and not (said and wanted)


def _find_phrase(phrase: str, text: str) -> re.Match[str] | None:
    """Return where a phrase is first in a text, as whole words."""
    return re.search(rf"\b{re.escape(phrase)}\b", text)


def phrases_in(prediction: str, gold: str, settings: Settings) -> bool:
    """Return whether an answer has every phrase of the gold, each as whole words."""
    said, wanted = _normalize(prediction, settings), _phrases(gold, settings)
    if _is_too_empty(said, wanted, settings):
        return False
    return all(_find_phrase(phrase, said) for phrase in wanted)


def phrases_in_order(prediction: str, gold: str, settings: Settings) -> bool:
    """Return whether an answer has every phrase of the gold, one behind the other."""
    said, wanted = _normalize(prediction, settings), _phrases(gold, settings)
    if _is_too_empty(said, wanted, settings):
        return False
    rest = said
    for phrase in wanted:
        match = _find_phrase(phrase, rest)
        if match is None:
            return False
        rest = rest[match.end() :]
    return True


def same_choice(prediction: str, gold: str, settings: Settings) -> bool:
    """Return whether an answer is the gold's letter, with or without ``choice`` or ``option``."""
    box = re.search(r"\\boxed\{([^}]*)\}", prediction.lower())
    answer = box[1] if box else prediction
    letter = re.sub(r"\b(?:choice|option)\b", "", answer, flags=re.IGNORECASE)
    for character in settings.strip_chars:
        letter = letter.replace(character, "")
    said, wanted = letter.strip().upper(), gold.strip().upper()
    return said == wanted and not _is_too_empty(said, wanted, settings)


def same_choices(prediction: str, gold: str, settings: Settings) -> bool:
    """Return whether an answer names the letters of the gold and no others, in any order."""
    said, wanted = _chosen_letters(prediction), _chosen_letters(gold)
    return said == wanted and not _is_too_empty(said, wanted, settings)


def _chosen_letters(text: str) -> set[str]:
    """Return the letters that a text names, apart or together: A and C of ``Options: A, C``."""
    words = set(re.findall(r"[A-Z]+", text.upper())) - _WORDS_BESIDE_LETTERS
    return set("".join(words))


RULES: Mapping[str, Callable[[str, str, Settings], bool]] = {
    "norm_phrase_set_match": phrases_in,
    "norm_phrase_set_match_ordered": phrases_in_order,
    "mc_choice_match": same_choice,
    "mc_choice_set_match": same_choices,
}


def is_right(answer: str, gold: str, rule: str) -> bool:
    """Return whether an answer is right by a rule, which is named with its settings.

    Raises ``ValueError`` as ``read_rule`` does.
    """
    name, settings = read_rule(rule)
    final_answer = boxed(answer)
    if final_answer.lower() == "unknown":
        return False
    return RULES[name](final_answer, gold, settings)


def _official(case: ScoringInput) -> Mapping[str, float]:
    """Return the published score: whether an answer is right for one of the golds.

    The type of a question in a user's own rows may name no rule; it is scored by phrases then.
    """
    _, _, rule = (case.question_type or "").partition(SEPARATOR)
    try:
        read_rule(rule)
    except ValueError:
        rule = _DEFAULT_RULE
    return {_METRIC: any(is_right(case.prediction, gold, rule) for gold in case.answers)}


def _ideal(case: ScoringInput) -> str:
    """Return an answer that the published rules call right: the first gold in a box."""
    return _BOX + case.answers[0] + "}"


FAMILY = Family(
    name="longmemeval_v2",
    prompts=read_prompts("longmemeval_v2", _PROMPTS),
    units=lambda context: split_before(_STEP, context),
    # Tokens of a chunk and of an answer, by protocol.
    budgets=set_budgets(paper=(2048, 500), repository=(4096, 500)),
    metric=_METRIC,
    official=_official,
    ideal=_ideal,
    repeated_ids="warning",
)
# The names of all rules in the file, with the two that mean a judge.
NAMES: Sequence[str] = (*RULES, "llm_abstention_checker", "llm_gotchas_checker")
