"""Second implementations of published scoring rules, with which tests compare this project's.

Somebody who had never seen this project's code wrote them from the published code of each project,
at the commit that a docstring names. Names and types were then changed to the style of the project,
and figures left out that it has not. Two things were added, from the same code: MemBench's reply as
an object, and what PrecisionMemBench adds to a memory's results.
"""

import itertools
import json
import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mabench.text.stemmers import porter_stemmer


def score_personamem(prediction: str, gold: str) -> bool:
    """Return whether the gold is the only letter behind the last mark, or in the whole reply.

    Letters in brackets come before bare ones, and only a to d are letters.
    bowen-upenn/PersonaMem @2f465738a4fa7628d4f956b0804177fd742b888b, inference.py (extract_answer).
    """
    wanted = {gold.lower().strip("() ")}
    final = prediction.strip().rpartition("<final_answer>")[2].strip()
    final = final.removesuffix("</final_answer>")
    return any(_option_letters(text) == wanted for text in (final, prediction))


def _option_letters(text: str) -> set[str]:
    lowered = text.lower()
    bracketed = {letter for letter in "abcd" if f"({letter})" in lowered}
    return bracketed or set(re.findall(r"(?<!\w)[a-d](?!\w)", lowered))


_CUES = tuple(
    re.compile(cue, re.IGNORECASE | re.MULTILINE)
    for cue in (
        r"[$]\\boxed[{]([A-Z])[}][$]",
        r"\\boxed[{]([A-Z])[}]",
        r"final answer:\s*([A-Z])",
        r"answer:\s*([A-Z])",
        r"final answer is\s*([A-Z])",
        r"the answer is\s*([A-Z])",
        r"\b([A-Z])[.]\s*$",
    )
)


def score_personamem_v2(prediction: str, gold: str) -> bool:
    """Return whether the letter at the first place of the first cue found is the gold.

    bowen-upenn/PersonaMem-v2 @6a36975f4b5773e1bdfc006131a129b3d05db16a, inference.py
    (extract_final_answer, check_mcq_correctness). Older commits lack four of the cues.
    """
    for cue in _CUES:
        hit = cue.search(prediction)
        if hit is not None:
            return hit[1].upper() == gold.strip("() ").upper()
    return False


def score_membench(prediction: str, gold: str) -> bool:
    """Return whether a reply is the gold letter itself, as text or as the choice of an object.

    import-myself/Membench @04956796150992cc6fbffef51c53f541376bf0f6, benchmark/env/Membenenv.py
    (step, step_cap) for the equality; benchmark/MembenchAgent.py for the object of the run for
    accuracy (response), and for the blanks that the run for capacity deletes (response_cap).
    """
    if prediction.translate({ord(" "): None, ord("\n"): None}) == gold:
        return True
    try:
        return bool(json.loads(prediction)["choice"] == gold)
    except (ValueError, TypeError, KeyError):
        return False


def score_longmemeval_v2(prediction: str, gold: str, rule: str) -> bool:
    r"""Return whether the content of the last ``\boxed{}``, else the reply, is right by a rule.

    A rule has options, as in ``name|key=value``; "unknown" is wrong by each.
    xiaowu0162/LongMemEval-V2 @be15ea6e995462f3391c1a610892df3f67dfa7bd,
    evaluation/qa_eval_metrics.py and evaluation/harness.py (score_prediction).
    """
    name, options = _read_rule(rule)
    answer = _last_box(prediction)
    return _RULES[name](answer, gold, options) and answer.strip().lower() != "unknown"


def _read_rule(rule: str) -> tuple[str, dict[str, Any]]:
    name, *settings = (part.strip() for part in rule.split("|"))
    options: dict[str, Any] = {}
    for setting in filter(None, settings):
        key, equals, value = (piece.strip() for piece in setting.partition("="))
        if not equals or not key or key in options:
            raise ValueError(f"bad option: {setting!r}")
        options[key] = _option_value(key, value)
    return name, options


def _option_value(key: str, value: str) -> Any:
    fixed: dict[str, bool | None] = {"true": True, "false": False, "none": None, "null": None}
    if value.lower() in fixed:
        return fixed[value.lower()]
    if key in ("separators", "separator"):
        if value.startswith("[") and value.endswith("]"):
            return json.loads(value)
        return [char for char in value if not char.isspace()]
    try:
        return float(value) if "." in value else int(value)
    except ValueError:
        return value


def _last_box(reply: str) -> str:
    _, mark, tail = reply.rpartition("\\boxed{")
    if not mark:
        return reply.strip()
    depth, end = 0, len(tail)
    for place, char in enumerate(tail):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth < 0:
            end = place
            break
    return tail[:end].strip() or reply.strip()


def _plain(text: str, options: Mapping[str, Any]) -> str:
    if options.get("lower", True):
        text = text.lower()
    if options.get("normalize_hyphen", True):
        text = text.translate({ord("-"): " ", ord("_"): " "})
    text = text.translate({ord(","): " ", ord(";"): " "})
    if options.get("strip_punct", True):
        text = "".join(char for char in text if char.isalnum() or char == "_" or char.isspace())
    return " ".join(text.split())


def _gold_phrases(gold: str, options: Mapping[str, Any]) -> list[str]:
    separators: list[str] = options.get("separators", [",", ";"])
    pieces = re.split("|".join(map(re.escape, separators)), gold) if separators else [gold]
    return [phrase for phrase in (_plain(piece, options) for piece in pieces) if phrase]


def _end_of(phrase: str, text: str) -> int:
    """Return where a phrase ends in a text as whole words; -1 if it is not there."""
    hit = re.search(rf"\b{re.escape(phrase)}\b", text)
    return -1 if hit is None else hit.end()


def _has_all_phrases(answer: str, gold: str, options: Mapping[str, Any]) -> bool:
    text, phrases = _plain(answer, options), _gold_phrases(gold, options)
    if options.get("require_non_empty", True) and not (text and phrases):
        return False
    return all(_end_of(phrase, text) >= 0 for phrase in phrases)


def _has_phrases_in_order(answer: str, gold: str, options: Mapping[str, Any]) -> bool:
    text, phrases = _plain(answer, options), _gold_phrases(gold, options)
    if options.get("require_non_empty", True) and not (text and phrases):
        return False
    for phrase in phrases:
        end = _end_of(phrase, text)
        if end < 0:
            return False
        text = text[end:]
    return True


def _is_letter(answer: str, gold: str, options: Mapping[str, Any]) -> bool:
    inner = re.search(r"\\boxed[{]([^}]*)[}]", answer.lower())
    said = inner[1] if inner else answer
    said = re.sub(r"\b(?:choice|option)\b", "", said, flags=re.IGNORECASE)
    dropped = set(options.get("strip_chars", "."))
    said = "".join(char for char in said if char not in dropped).strip().upper()
    wanted = gold.strip().upper()
    if options.get("require_non_empty", True) and not (said and wanted):
        return False
    return said == wanted


_FILLERS = {
    *("AND", "ANSWER", "ANSWERS", "CHOICE", "CHOICES", "FINAL"),
    *("LETTER", "LETTERS", "OPTION", "OPTIONS"),
}


def _letters_of(text: str) -> set[str]:
    words = re.findall("[A-Z]+", text.upper())
    return set().union(*(set(word) for word in words if word not in _FILLERS))


def _has_same_letters(answer: str, gold: str, options: Mapping[str, Any]) -> bool:
    said, wanted = _letters_of(answer), _letters_of(gold)
    if options.get("require_non_empty", True) and not (said and wanted):
        return False
    return said == wanted


_RULES: Mapping[str, Callable[[str, str, Mapping[str, Any]], bool]] = {
    "norm_phrase_set_match": _has_all_phrases,
    "norm_phrase_set_match_ordered": _has_phrases_in_order,
    "mc_choice_match": _is_letter,
    "mc_choice_set_match": _has_same_letters,
}


class Found(NamedTuple):
    """The ids of the three tiers of beliefs that PrecisionMemBench scores."""

    relevant: Sequence[str]
    pinned: Sequence[str]
    questions: Sequence[str]


def find_precisionmembench(
    returned: Sequence[str], case: Mapping[str, Any], beliefs: Sequence[Mapping[str, Any]]
) -> Found:
    """Return what is found by a memory that gives as many results as it is asked for.

    Added to the second implementations: tenurehq/precisionMemBench
    @18c7955357b33098a64d601bc8e4624c41743972, src/adapters/baseAdapter.ts (buildContext).
    """
    user, scope = case.get("userId") or "test-user", {*case["scope"]}
    budget = {"maxBeliefs": 20, "maxQuestions": 15, **case.get("budget", {})}
    most, known = budget["maxBeliefs"], {belief["_id"]: belief for belief in beliefs}
    pinned = [
        belief
        for belief in beliefs
        if belief["pinned"] and belief["user_id"] == user and scope & {*belief["scope"]}
    ]
    opened = [belief for belief in pinned if not belief["resolved_at"]]
    questions = [one["_id"] for one in opened if one["type"] == "open_question"]
    facts = [
        one["_id"] for one in opened if one["type"] != "open_question" and not one["superseded_by"]
    ]
    results = list(returned[:most]) if case["query"].strip() else []
    results = [name for name in results if name not in facts]
    joined = []
    for one in (known[name] for name in results):
        for other in one.get("participants") or () if one["type"] == "relation" else ():
            if other not in (*facts, *results) and known[other]["user_id"] == user:
                joined += [other] if not scope or scope & {*known[other]["scope"]} else []
    left = max(0, most - len(facts[:most]))
    return Found([*results, *joined][:left], facts[:most], questions[: budget["maxQuestions"]])


def score_precisionmembench(
    found: Found, expect: Mapping[str, Any], seeded: Iterable[str]
) -> dict[str, float | None]:
    """Return precision and recall of the relevant beliefs, and whether every assertion holds.

    ``seeded`` are the beliefs that are pinned in the data, which are no part of what is wanted
    where that is not named by itself. tenurehq/precisionMemBench
    @18c7955357b33098a64d601bc8e4624c41743972, src/retrieval.external.eval.test.ts; the tiers of
    pinned facts and open questions were added, without the prelude.
    """
    rules = expect.get("relevantBeliefs") or {}
    got = dict.fromkeys(found.relevant)
    either = {*got, *found.pinned}
    exact: list[str] | None = rules.get("shouldOnlyInclude")
    target = set(rules.get("mustInclude") or []) - {*seeded} if exact is None else set(exact)
    hits = len(target & got.keys())
    if got:
        precision: float | None = hits / len(got)
    else:
        precision = 0.0 if target else None
    least, most = rules.get("minCount"), rules.get("maxCount")
    passed = (
        either >= {*(rules.get("mustInclude") or []), *(rules.get("shouldInclude") or [])}
        and either.isdisjoint(rules.get("mustExclude") or [])
        and (exact is None or got.keys() == set(exact))
        and (least is None or len(got) >= least)
        and (most is None or len(got) <= most)
        and all(_precedes(list(got), *pair) for pair in rules.get("orderedBefore") or [])
        and _meets(found.pinned, expect.get("pinnedFacts") or {})
        and _meets(found.questions, expect.get("openQuestions") or {})
    )
    recall = hits / len(target) if target else None
    return {"precision": precision, "recall": recall, "passed": passed}


def _precedes(ids: list[str], first: str, second: str) -> bool:
    return first in ids and second in ids and ids.index(first) < ids.index(second)


def _meets(there: Sequence[str], wanted: Mapping[str, Sequence[str]]) -> bool:
    has_all = {*there} >= {*wanted.get("mustInclude", ())}
    return has_all and {*there}.isdisjoint(wanted.get("mustExclude", ()))


def score_locomo(prediction: str, gold: str, category: int) -> float:
    """Return the F1 of stems (2, 3, 4), of the parts of a gold (1), or whether it declines (5).

    snap-research/LoCoMo @3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376, task_eval/evaluation.py
    (eval_question_answering).
    """
    if category == 5:
        reply = prediction.lower()
        return float("no information available" in reply or "not mentioned" in reply)
    if category == 1:
        replies = [_stems(part) for part in prediction.split(",")]
        golds = [_stems(part) for part in gold.split(",")]
        return sum(max(_token_f1(one, wanted) for one in replies) for wanted in golds) / len(golds)
    if category == 3:
        gold = gold.partition(";")[0]
    elif category not in (2, 4):
        raise ValueError(f"unknown category: {category}")
    return _token_f1(_stems(prediction), _stems(gold))


def _stems(text: str) -> Counter[str]:
    lowered = text.replace(",", "").lower()
    bare = "".join(char for char in lowered if char not in string.punctuation)
    runs = ("".join(run) for _, run in itertools.groupby(bare, _is_of_word))
    kept = "".join(" " if run in ("a", "an", "the", "and") else run for run in runs)
    return Counter(porter_stemmer()(word) for word in kept.split())


def _is_of_word(char: str) -> bool:
    """Return whether a character is of a word by the package ``regex``, not by ``re``."""
    kind = unicodedata.category(char)
    if kind[0] in "LM" or kind in ("Nd", "Nl", "Pc"):
        return True
    return char in "\u200c\u200d" or "\u24b6" <= char <= "\u24e9"


def _token_f1(reply: Counter[str], wanted: Counter[str]) -> float:
    shared = (reply & wanted).total()
    if not shared:
        return 0.0
    precision, recall = shared / reply.total(), shared / wanted.total()
    return 2 * precision * recall / (precision + recall)


def score_beam_rubric(values: Sequence[float]) -> float:
    """Return the mean over the lines of a rubric of the judge's scores, cut to integers.

    mohammadtavakoli78/BEAM @b2a3ee8ba12d68f83143dda191097dc3e028ddd3,
    src/evaluation/compute_metrics.py (every evaluate_* but that of event ordering).
    """
    return sum(math.trunc(value) for value in values) / len(values)


def score_beam_order(reference: Sequence[str], aligned: Sequence[str]) -> float:
    """Return (tau-b + 1) / 2 of the ranks of all distinct lines of a rubric and of a reply.

    ``aligned`` are the lines of the reply, those that match as the lines of the rubric. A line
    that is absent from a side is last there; NaN if a side is all ties.
    mohammadtavakoli78/BEAM @b2a3ee8ba12d68f83143dda191097dc3e028ddd3,
    src/evaluation/compute_metrics.py (event_ordering_score: tau_norm) and report_results.py.
    """
    lines = list(dict.fromkeys([*reference, *aligned]))
    left, right = _ranks(lines, reference), _ranks(lines, aligned)
    balance = left_untied = right_untied = 0
    for one, two in itertools.combinations(range(len(lines)), 2):
        a, b = _sign(left[one] - left[two]), _sign(right[one] - right[two])
        balance += a * b
        left_untied += a * a
        right_untied += b * b
    if not left_untied or not right_untied:
        return math.nan
    tau = balance / math.sqrt(left_untied) / math.sqrt(right_untied)
    return (max(-1.0, min(1.0, tau)) + 1) / 2


def _ranks(lines: Sequence[str], order: Sequence[str]) -> list[int]:
    place = {line: number for number, line in enumerate(order)}
    return [place.get(line, len(lines)) for line in lines]


def _sign(difference: int) -> int:
    return (difference > 0) - (difference < 0)


Records = Sequence[Mapping[str, Any]]


def aggregate_halumem(records: Mapping[str, Records]) -> dict[str, dict[str, float]]:
    """Return the means over all of ``overall_score``, but for weighted ones and F1.

    An empty denominator raises ZeroDivisionError. MemTensor/HaluMem
    @59402b9d662507406b584047d1982e0cbf453a0f, eval/evaluation.py (aggregate_eval_results).
    """
    integrity, accuracy = records["memory_integrity_records"], records["memory_accuracy_records"]
    points = [record for record in integrity if record["memory_source"] != "interference"]
    decoys = [record for record in integrity if record["memory_source"] == "interference"]
    full = sum(point["memory_integrity_score"] == 2 for point in points)
    resisted = sum(decoy["memory_integrity_score"] == 0 for decoy in decoys)
    on_target = [
        one for one in accuracy if one["is_included_in_golden_memories"] in ("true", "True")
    ]
    return {
        "memory_integrity": {"recall(all)": full / len(points)},
        "memory_accuracy": {
            "interference_accuracy(all)": resisted / len(decoys),
            "target_accuracy(all)": _accuracy(on_target),
            "weighted_accuracy(all)": _accuracy(accuracy),
        },
        "memory_update": _verdict_ratios(
            [record["memory_update_type"] for record in records["memory_update_records"]],
            ("Correct", "Hallucination", "Omission", "Other"),
            "update_memory",
        ),
        "question_answering": _verdict_ratios(
            [record["result_type"] for record in records["question_answering_records"]],
            ("Correct", "Hallucination", "Omission"),
            "qa",
        ),
    }


def _accuracy(records: Records) -> float:
    marks: list[float | None] = [record["memory_accuracy_score"] for record in records]
    return sum(0.5 * mark for mark in marks if mark is not None) / len(marks)


def _verdict_ratios(verdicts: list[Any], names: tuple[str, ...], noun: str) -> dict[str, float]:
    return {
        f"{name.lower()}_{noun}_ratio(all)": verdicts.count(name) / len(verdicts) for name in names
    }


def aggregate_realmem(details: Records) -> dict[str, float]:
    """Return the mean of the scores that are numbers, and the shares of 0 and of 3.

    Each has four decimals; without a score there is none. AvatarMemory/RealMemBench
    @67afd0891d603adcc4458ff0449df306ef296b7a, eval/compute_llm_metrics_for_realmem.py (main).
    """
    scores = [one["score"] for one in details if isinstance(one.get("score"), int | float)]
    if not scores:
        return {}
    return {
        "average_qa_score": round(sum(scores) / len(scores), 4),
        "qa_hallucination_rate": round(scores.count(0) / len(scores), 4),
        "qa_perfect_rate": round(scores.count(3) / len(scores), 4),
    }
