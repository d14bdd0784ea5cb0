"""LongMemEval-V2 is read without pictures, and its four rules equal second implementations."""

import random
from pathlib import Path
from typing import Any

import pytest

from mabench import load
from mabench.errors import DataError
from mabench.families import score_answer
from mabench.loading import validate
from mabench_external.longmemeval_v2.rules import RULES, is_right, read_rule
from tests.external.made_up import longmemeval_v2


def test_a_haystack_is_a_row_for_rules_and_one_for_a_judge(tmp_path: Path) -> None:
    data = load(longmemeval_v2(tmp_path))
    by_rule, judged = data.rows()
    assert (by_rule.source, judged.source) == (
        *("longmemeval_v2_small", "longmemeval_v2_small_judged"),
    )
    assert by_rule.metadata.get("qa_pair_ids") == ["q1", "q3"]
    assert judged.metadata.get("question_types") == ["errors-gotchas"]
    assert by_rule.context.startswith(
        "[t2] goal: See Ärger\n\n[t2 1] page: app/start\naction: click"
    )
    assert [turn.session for turn in by_rule.turns or ()] == ["t2"] * 3 + ["t1"] * 3
    [picture] = [one for one in validate(tmp_path) if one.field == "image"]
    assert picture.found == "1 question about a picture, left out"
    [kind, _] = by_rule.metadata.get("question_types") or []
    score = score_answer(
        data.sources["longmemeval_v2_small"],
        "I saw \\boxed{bills and the ORDERS}",
        ["Orders; Bills"],
        "Which tabs?",
        question_type=kind,
    )
    assert score.reported == 1


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"eval_function": "exec"}, "eval_function: found 'exec'; expected one of"),
        ({"eval_function": "mc_choice_match|x=1"}, "expected a rule of the benchmark: no setting"),
        ({"question": ""}, "questions.jsonl, row 0, question: found ''"),
        ({"id": "q9"}, "lme_v2_small.json, row 0, q9: found nothing"),
    ],
)
def test_a_wrong_field_is_named(changed: dict[str, Any], expected: str, tmp_path: Path) -> None:
    folder = longmemeval_v2(tmp_path)
    haystack = (folder / "haystacks/lme_v2_small.json").read_text("utf-8")
    longmemeval_v2(folder, **changed)
    (folder / "haystacks/lme_v2_small.json").write_text(haystack, encoding="utf-8")
    with pytest.raises(DataError) as error:
        list(load(folder).rows())
    assert expected in str(error.value)


_PIECES = (
    *("\\boxed{", "}", "{", "A", "b", "A, B", "option c", "choice", "orders", "Orders;", "order-s"),
    *("Bills", "bills,", "bills orders", "(B)", "B.", "unknown", "UNKNOWN", "and", "answer: AC"),
    *(" ", "-", "_", "'", "the", "12", "b_c", "Ä", "AB", "\n"),
)
_GOLDS = ("Orders; Bills", "bills", "A", "b, a", "AC", "order-s", "c", "", "12, orders")
_SPECS = (
    *("norm_phrase_set_match", "norm_phrase_set_match|separators=;|lower=false"),
    *("norm_phrase_set_match|strip_punct=false", "norm_phrase_set_match_ordered"),
    *('norm_phrase_set_match_ordered|normalize_hyphen=false|separators=[","]',),
    *("mc_choice_match", "mc_choice_match|strip_chars=.()", "mc_choice_set_match"),
)


def _last_box(text: str) -> str:
    at = text.rfind("\\boxed{")
    if at < 0:
        return text.strip()
    inside, level = "", 1
    for sign in text[at + 7 :]:
        level += {"{": 1, "}": -1}.get(sign, 0)
        if level == 0:
            break
        inside += sign
    return inside.strip() or text.strip()


def _cleaned(text: str, given: dict[str, str]) -> list[str]:
    """The words of a phrase, sign by sign."""
    kept = ""
    for sign in text.lower() if given.get("lower") != "false" else text:
        if sign in ",;" or (sign in "-_" and given.get("normalize_hyphen") != "false"):
            kept += " "
        elif sign.isalnum() or sign == "_" or sign.isspace() or given.get("strip_punct") == "false":
            kept += sign
    return kept.split()


def _finds(phrase: str, text: str, start: int) -> int:
    """Where a phrase ends in a text as whole words, from a place on; -1 for nowhere."""

    def is_word(place: int) -> bool:
        return 0 <= place < len(text) and (text[place].isalnum() or text[place] == "_")

    for at in range(start, len(text) - len(phrase) + 1):
        end = at + len(phrase)
        if text[at:end] == phrase:
            # A word begins, or ends, where one side is of a word and the other is not; what is
            # before the place from which is searched does not count.
            opens = is_word(at) != (at > start and is_word(at - 1))
            if opens and is_word(end - 1) != is_word(end):
                return end
    return -1


def _second(answer: str, gold: str, spec: str) -> bool:
    name, *settings = spec.split("|")
    given = dict(one.split("=", 1) for one in settings)
    said = _last_box(answer)
    if said.lower() == "unknown":
        return False
    if name == "mc_choice_set_match":
        no_letters = {"AND", "ANSWER", "CHOICE", "OPTION", "LETTER", "FINAL"}
        no_letters |= {"ANSWERS", "CHOICES", "OPTIONS", "LETTERS"}
        sets = []
        for text in (said, gold):
            upper = "".join(sign if "A" <= sign <= "Z" else " " for sign in text.upper())
            sets.append({sign for word in upper.split() if word not in no_letters for sign in word})
        return bool(sets[0]) and sets[0] == sets[1]
    if name == "mc_choice_match":
        words = said
        at = said.lower().find("\\boxed{")
        if at >= 0 and "}" in said[at:]:
            words = said.lower()[at + 7 :].split("}")[0]
        for word in ("choice", "option"):
            end = 0
            while (end := _finds(word, words.lower(), 0)) >= 0:
                words = words[: end - len(word)] + words[end:]
        for sign in given.get("strip_chars", "."):
            words = words.replace(sign, "")
        return bool(words.strip()) and words.strip().upper() == gold.strip().upper()
    separators = {";": ";", '[","]': ","}.get(given.get("separators", ""), ",;")
    parts, part = [], ""
    for sign in [*gold, separators[0]]:
        if sign in separators:
            parts.append(part)
            part = ""
        else:
            part += sign
    phrases = [" ".join(_cleaned(one, given)) for one in parts]
    phrases = [one for one in phrases if one]
    text, place = " ".join(_cleaned(said, given)), 0
    if not text or not phrases:
        return False
    for phrase in phrases:
        end = _finds(phrase, text, place)
        if end < 0:
            return False
        place = end if name.endswith("ordered") else 0
    return True


@pytest.mark.parametrize("spec", _SPECS)
def test_each_rule_equals_a_second_implementation(spec: str) -> None:
    chosen, right = random.Random(65), 0
    for _ in range(2_000):
        pieces = chosen.choices(_PIECES, k=chosen.randint(0, 6))
        answer = chosen.choice(("", " ")).join(pieces)
        gold = chosen.choice(_GOLDS)
        assert is_right(answer, gold, spec) == _second(answer, gold, spec), (answer, gold)
        right += is_right(answer, gold, spec)
    assert 5 < right < 1_000


def test_every_rule_is_tried() -> None:
    assert {read_rule(spec)[0] for spec in _SPECS} == {*RULES}
