"""LongMemEval-V2 is read without pictures, and its four rules equal second implementations.

Those are written by somebody who knew the published code and not ours; see ``second_rules``.
"""

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
from tests.external.second_rules import score_longmemeval_v2


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
    *(" ", "-", "_", "'", "the", "12", "b_c", "Ä", "AB", "\n", "|", "1,000", "3.5"),
    # Boxes: empty, nested, in capitals, never closed.
    *("\\boxed{ }", "\\BOXED{b}", "\\boxed{\\text{A}}", "$\\boxed{A, B}$", "\\boxed{Choice A.}"),
    *("\\boxed{unknown }", "\\boxed{bills; orders}", "\\boxed{orders"),
    # Letters and blanks beyond ASCII, some of which become ASCII in another case.
    *("A\u0308", "\u00df", "\u017f", "\u0130", "\u00a0", "\u2028", "\uff22", "\u00b2", "\x1f"),
)
_GOLDS = (
    *(
        "Orders; Bills",
        "bills",
        "A",
        "b, a",
        "AC",
        "order-s",
        "c",
        "",
        "12, orders",
        "bills, bills",
    ),
    *(
        "1,000",
        "3.5",
        "-b",
        "A.",
        "unknown",
        "_",
        "ss",
        "bills orders; orders",
        "A\u0308",
        "\uff22",
    ),
)
# Ways to say a gold, of which some are wrong by some rules.
_FORMS = (
    *("GOLD", "\\boxed{GOLD}", "It is GOLD", "A or \\boxed{GOLD}", "\\boxed{option GOLD}"),
    *("\\boxed{Choice GOLD.}", "\\boxed{", "\\boxed{GOLD", "(GOLD)", "\\boxed{GOLD} not \\boxed{}"),
)
_SPECS = (
    *("norm_phrase_set_match", "norm_phrase_set_match|separators=;|lower=false"),
    *("norm_phrase_set_match|strip_punct=false", "norm_phrase_set_match_ordered"),
    *('norm_phrase_set_match_ordered|normalize_hyphen=false|separators=[","]',),
    *("mc_choice_match", "mc_choice_match|strip_chars=.()", "mc_choice_set_match"),
    *("norm_phrase_set_match|require_non_empty=false", "norm_phrase_set_match|separators="),
    *("norm_phrase_set_match|separators=[;", 'norm_phrase_set_match|separators=[""]'),
    *(" norm_phrase_set_match | lower = FALSE |", "mc_choice_match|require_non_empty=False"),
    *('norm_phrase_set_match_ordered|separators=["and", "; "]', "mc_choice_match|strip_chars="),
)


@pytest.mark.parametrize("spec", _SPECS)
def test_each_rule_equals_a_second_implementation(spec: str) -> None:
    chosen, right = random.Random(65), 0
    for number in range(4_000):
        gold = chosen.choice(_GOLDS)
        if number % 2:
            said = chosen.choice((gold, gold.lower(), gold.upper()))
            answer = chosen.choice(_FORMS).replace("GOLD", said)
        else:
            pieces = chosen.choices(_PIECES, k=chosen.choice((0, 1, 1, 2, 3, 4, 6)))
            answer = chosen.choice(("", " ")).join(pieces)
        ours = is_right(answer, gold, spec)
        assert ours == score_longmemeval_v2(answer, gold, spec), (answer, gold)
        right += ours
    assert 100 < right < 3_900


def test_every_rule_is_tried() -> None:
    assert {read_rule(spec)[0] for spec in _SPECS} == {*RULES}


def test_separators_are_texts() -> None:
    """The published code fails at numbers, too."""
    with pytest.raises(ValueError, match="expected texts"):
        read_rule("norm_phrase_set_match|separators=[1]")
