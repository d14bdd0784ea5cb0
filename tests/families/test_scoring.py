from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.data.inventory import SOURCES
from mabench.errors import UsageError
from mabench.families import FAMILIES, Family, Prompts, ProtocolName, ScoringInput, family_of
from mabench.scoring import Catalogue
from mabench_synthetic import GENERATORS

FILMS = {
    "<http://dbpedia.org/resource/Heat_(1995_film)>": 7,
    "<http://dbpedia.org/resource/Up_(2009_film)>": 9,
}
LONG = "Ann lost her card.\n\nNow Answer the Question: Who?\nA. The cook\nB. The maid\n Output:"


def test_every_line_of_the_published_scorer_is_reproduced(parity: Path, real_data: Path) -> None:
    entities = json.loads((real_data / "entity2id.json").read_text(encoding="utf-8"))
    catalogue = Catalogue(entities)
    lines = (parity / "official_scores.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines
    for line in map(json.loads, lines):
        case = ScoringInput(line["prediction"], line["answers"], line["question"], catalogue)
        official = family_of(line["source"]).official(case)
        assert official.keys() == line["metrics"].keys()
        for metric, value in line["metrics"].items():
            depth = int(metric.partition("@")[2] or 0)
            if not any(tied < depth for tied in line.get("tied_lines", ())):
                assert official[metric] == pytest.approx(value, rel=0, abs=1e-12), line["id"]


@pytest.mark.parametrize("source", [source.name for source in SOURCES])
def test_a_failed_answer_is_wrong_by_every_metric_and_one_is_reported(source: str) -> None:
    score = mabench.score_answer(source, None, ["The"], "Who?", FILMS)
    assert {*score.official.values(), *score.corrected.values()} == {0}
    # The reported metric is computed, or needs a judge.
    family = family_of(source)
    score = mabench.score_answer(source, "7", ["7"], "Who?", FILMS)
    assert (score.metric in score.official) is not bool(family.rubric)
    assert (score.metric in score.corrected) is not bool(family.rubric)
    assert (score.reported is None) is bool(family.rubric)


@pytest.mark.parametrize(
    ("source", "prediction", "answers", "scores", "rule", "verdict"),
    [
        ("icl_nlu_8296shot_balance", "label: 43", ["43"], (0, 1), "label-given", "right"),
        ("icl_nlu_8296shot_balance", "143", ["43"], (0, 0), None, "wrong"),
        ("ruler_qa1_197K", "I do not know", ["no"], (1, 0), "refusal", "wrong"),
        ("ruler_qa1_197K", "in Paris", ["Paris"], (1, 1), None, "right"),
        ("ruler_qa1_197K", "Paris, Rome", ["Paris"], (1, 1), None, "unclear"),
        ("ruler_qa1_197K", None, ["Paris"], (0, 0), None, "wrong"),
        ("detective_qa", "B", ["B. The maid"], (0, 1), "option-alone", "right"),
        ("factconsolidation_sh_6k", "anything", ["The"], (1, 0), "empty-gold", "wrong"),
        ("recsys_redial_full", "1. Up", ["7", "9"], (0.5, 0.5), None, "partial"),
        ("longmemeval_s*", "Paris", ["Paris"], (None, None), None, None),
    ],
)
def test_where_the_two_scores_differ_the_rule_is_named_and_a_verdict_stands_beside_it(
    source: str, prediction: str | None, answers: list[str], scores: Any, rule: Any, verdict: Any
) -> None:
    question = LONG if source == "detective_qa" else "Where?"
    score = mabench.score_answer(source, prediction, answers, question, FILMS)
    assert (score.reported, score.reported_corrected) == scores
    assert (score.difference, score.verdict) == (rule, verdict)
    assert (score.rule is None) is (verdict is None)


@pytest.mark.parametrize("title", ["Heat", "21_Jump_Street", "300_(film)", "Up_(2009_film)"])
def test_the_ideal_recommendation_is_right_by_both_scores(title: str) -> None:
    catalogue = Catalogue({f"<http://dbpedia.org/resource/{title}>": 7, **FILMS, "<x/Street>": 8})
    scored = ScoringInput("", ["7"], "\nUser: Hi\nSystem: ", catalogue)
    ideal = family_of("recsys_redial_full").ideal(scored)
    score = mabench.score_answer("recsys_redial_full", ideal, ["7"], "", catalogue)
    assert {*score.official.values(), *score.corrected.values()} == {1}


@pytest.mark.parametrize("family", sorted({source.family for source in SOURCES}))
@given(prediction=st.text(), answers=st.lists(st.text(), min_size=1), question=st.text())
def test_no_text_makes_scoring_raise(
    family: str, prediction: str, answers: list[str], question: str
) -> None:
    source = next(source.name for source in SOURCES if source.family == family)
    score = mabench.score_answer(source, prediction, answers, question, FILMS)
    assert all(0 <= value <= 1 for value in (*score.official.values(), *score.corrected.values()))


_ARRAY = numpy.array
_NO_GOLDS: tuple[Any, ...] = ([], (), [[]], [[], []], _ARRAY([]))


def test_golds_are_one_answer_each_and_never_dropped() -> None:
    forms = ["43", ["43"], [["43"]], [["43", "9"]], 43, [43], ("43",), _ARRAY([43]), _ARRAY("43")]
    for answers in forms:
        for said in ("43", "4"):
            score = mabench.score_answer("icl_nlu_8296shot_balance", said, answers)  # type: ignore[arg-type]
            assert score.official["exact_match"] == (said == "43")


@pytest.mark.parametrize(
    ("source", "prediction", "answers", "message"),
    [
        ("ruler", "a", ["a"], "unknown source 'ruler'"),
        *(
            ("icl_nlu_8296shot_balance", "43", answers, r"`answers` holds .* of type")
            for answers in (None, [None], [True], [b"43"], {"43": 1}, [object()])
        ),
        *(
            ("ruler_qa1_197K", prediction, ["43"], "give a string, or None")
            for prediction in (43, 4.3, b"43", ["43"], True)
        ),
        *(
            (source, None, answers, "`answers` holds no gold")
            for source in ("ruler_qa1_197K", "longmemeval_s*", "recsys_redial_full")
            for answers in _NO_GOLDS
        ),
    ],
)
def test_what_cannot_be_scored_is_refused(
    source: str, prediction: Any, answers: Any, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        mabench.score_answer(source, prediction, answers)


CATALOGUE = Catalogue({"<http://dbpedia.org/resource/Heat_(1995_film)>": 7})
CASE = ScoringInput("Heat", ["7"], "Which film?\nA. Heat\nB. Up", CATALOGUE)


def test_the_inventory_has_all_families_and_no_other() -> None:
    assert {source.family for source in SOURCES} == set(FAMILIES)
    assert all(family_of(source).name == source.family for source in SOURCES)
    checks = {check for family in FAMILIES.values() for check in family.audit_checks}
    assert len({check.reason for check in checks}) == len(checks)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_a_family_is_complete(family: Family) -> None:
    assert "{question}" in family.prompts["answer"]
    assert "{chunk}" in Prompts.load().templates[family.name]["memorize"]
    assert set(family.budgets) == set(ProtocolName)
    assert all(tokens > 0 for budget in family.budgets.values() for tokens in budget)
    assert "".join(family.units("One.\n\nTwo.")) == "One.\n\nTwo."
    assert family.ideal(CASE)
    assert family.official(CASE)
    assert family.metric.startswith("judge_") == bool(family.rubric and family.rubric.templates)
    without = CASE._replace(catalogue=None)
    assert bool(family.official(without)) is not family.needs_entities
    assert family.name in GENERATORS


def test_only_answers_taken_from_the_history_are_looked_for_in_passages() -> None:
    for answers in (["Rome"], ["No."], ["no", "Norway"]):
        sought = {name for name, one in FAMILIES.items() if one.gold_in_text(answers)}
        # A verdict of ruler stands in no passage.
        assert sought == {"factconsolidation", *["ruler"] * (answers != ["No."])}
    judged = [name for name, family in FAMILIES.items() if family.rubric]
    assert judged == ["longmemeval", "infbench"]  # Those that the paper judges.


CONTEXTS = {
    "factconsolidation": [
        *("Here is a list of facts:\n", "0. Ann owns a cat.\n", "1. Bo Jr. owns a dog.\n")
    ],
    "ruler": ["Document 1:\nOne.\n\nMore of one.\n\n", "Document 2:\nTwo."],
    "icl": ["I lost my card\nlabel: 7\n\n", "A text\nin two lines\nlabel: 12"],
    "recsys": ["Dialogue 1:\nSystem: Hi\nUser: Hello\n\n", "Dialogue 2:\nUser: Hi"],
    "longmemeval": [
        "[",
        "'Chat Time: 2022/11/17 (Thu) 12:04', [{'role': 'user', 'content': \"It's ['late']\", "
        "'has_answer': True}], ",
        "'Chat Time: 2022/11/18 (Fri) 09:00', [{'role': 'user', "
        "'content': 'Chat Time: now', 'has_answer': False}]]",
    ],
    "eventqa": ["One. Two.\n\n", "Three.\n\n\n", "Four."],
    "infbench": ["One.\r\n\r\n", "Two."],
    "detective": ["One.\n \n", "Two."],
}


def test_units_are_what_may_not_be_cut() -> None:
    assert CONTEXTS.keys() == FAMILIES.keys()
    for name, units in CONTEXTS.items():
        assert FAMILIES[name].units("".join(units)) == units
    # Sessions in plain text begin at their dates.
    context = "Chat Time: 2022/11/17 (Thu) 12:04\nuser: Hi\n\nChat Time: 2022/11/18\nuser: Yes"
    assert len(FAMILIES["longmemeval"].units(context)) == 2


@pytest.mark.parametrize("family", CONTEXTS)
@given(context=st.text(alphabet=st.sampled_from("a'\"[]{}\\\n\r .:1Dlabel")) | st.text())
def test_the_units_of_any_text_give_it_back(family: str, context: str) -> None:
    units = FAMILIES[family].units(context)
    assert "".join(units) == context
    assert all(units)
