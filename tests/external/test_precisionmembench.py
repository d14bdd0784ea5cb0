"""PrecisionMemBench scores what was found as its description says."""

import random
from pathlib import Path
from typing import Any

import pytest

from mabench import load
from mabench.data import Row
from mabench.errors import DataError
from mabench.families import score_answer
from mabench.loading import validate
from mabench_external.precisionmembench import FORMAT
from tests.command_line import succeed
from tests.external.made_up import BELIEFS, CASES, case, precisionmembench, write_json

_SOURCE = FORMAT.sources[0]
_TOLD = {
    one["_id"]: f"{one['_id']} name {one['_id']} alias {one['content']} So." for one in BELIEFS
}


@pytest.fixture(scope="module")
def row(tmp_path_factory: pytest.TempPathFactory) -> Row:
    [row] = load(precisionmembench(tmp_path_factory.mktemp("cases"))).rows()
    return row


def test_beliefs_are_turns_and_cases_questions(row: Row) -> None:
    assert row.context.splitlines() == [_TOLD[one["_id"]] for one in BELIEFS]
    assert [(turn.id, turn.user) for turn in row.turns or []][-1] == ("o1", "other-user")
    assert row.metadata.get("qa_pair_ids") == [one["caseId"] for one in CASES]
    assert row.questions[1] == "(no words)"
    assert row.evidence == [["b1"], [], ["b2", "p1"], [], [], []]


def _second(returned: list[str], wanted: dict[str, Any]) -> dict[str, float]:
    """The published rules, one step after the other, for the made-up beliefs alone."""
    by_name = {one["_id"]: one for one in BELIEFS}
    mine = [b for b in BELIEFS if b["user_id"] == "test-user" and "domain:code" in b["scope"]]
    facts = [b["_id"] for b in mine if b["pinned"] and b["_id"] not in ("p2", "q1")]
    most = wanted.get("budget", {}).get("maxBeliefs", 20)
    relevant: list[str] = []
    if wanted["query"].strip():
        for name in returned:
            if len(relevant) < most and name not in facts:
                relevant.append(name)
    for name in tuple(relevant):
        for joined in by_name[name].get("participants", []):
            is_new = joined not in facts and joined not in relevant
            if is_new and by_name[joined] in mine:
                relevant.append(joined)
    facts = facts[:most]
    while len(relevant) > max(0, most - len(facts)):
        relevant.pop()
    expect, passed = wanted["expect"], True
    beliefs = expect.get("relevantBeliefs", {})
    for name in beliefs.get("mustInclude", []):
        passed = passed and (name in relevant or name in facts)
    for name in beliefs.get("mustExclude", []):
        passed = passed and name not in relevant and name not in facts
    gold = [name for name in beliefs.get("mustInclude", []) if not by_name[name]["pinned"]]
    if "shouldOnlyInclude" in beliefs:
        gold = beliefs["shouldOnlyInclude"]
        passed = passed and sorted(gold) == sorted(relevant)
    if "minCount" in beliefs:
        passed = passed and beliefs["minCount"] <= len(relevant) <= beliefs["maxCount"]
        ordered = [name for name in relevant if name in ("b1", "b2")]
        passed = passed and ordered == ["b1", "b2"]
    if "pinnedFacts" in expect:
        passed = passed and "p1" in facts and "p2" not in facts
    scores: dict[str, float] = {"passed": passed}
    common = len([name for name in relevant if name in gold])
    if relevant or gold:
        scores["precision"] = common / len(relevant) if relevant else 0.0
    if gold:
        scores["recall"] = common / len(gold)
    return scores


def test_scores_equal_a_second_implementation(row: Row) -> None:
    chosen, passes = random.Random(65), 0
    for _ in range(2_000):
        number = chosen.randrange(len(CASES))
        returned = chosen.sample([*_TOLD], chosen.choice((0, 1, 1, 2, 3, 8)))
        text = "\n\n".join(_TOLD[name] for name in returned)
        score = score_answer(_SOURCE, text, row.answers[number], row.questions[number])
        assert score.official == _second(returned, CASES[number]), (returned, CASES[number])
        passes += bool(score.reported)
    assert 200 < passes < 1_800


def test_a_run_scores_the_passages_and_not_the_answer(tmp_path: Path) -> None:
    precisionmembench(tmp_path / "data")
    command = ("run", "bm25", "--data", "data", "--protocol", "turns", "--out", "run")
    done = succeed(*command, "--set", "k=1", cwd=tmp_path)
    assert "precisionmembench" in done.stdout
    [run] = (tmp_path / "run").glob("samples.jsonl")
    assert _TOLD["b1"] in run.read_text("utf-8")


def test_a_user_without_beliefs_cannot_be_asked_for(tmp_path: Path) -> None:
    data = precisionmembench(tmp_path)
    cases = [*CASES, case("nobody") | {"userId": "brand-new-user"}]
    write_json(data / "fixtures/retrieval.cases.json", cases)
    [row] = load(data).rows()
    assert len(row.questions) == len(CASES)
    assert "'brand-new-user'" in str(validate(data)[0])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            {"relevantBeliefs": {"mustInclude": ["b9"]}},
            "mustInclude[0]: found 'b9'",
        ),
        ({"relevantBeliefs": {"maxCount": "2"}}, "maxCount: found '2'; expected a whole number"),
        ({"pinnedFacts": ["p1"]}, "expect.pinnedFacts: found a list of 1; expected an object"),
    ],
)
def test_a_wrong_field_is_named(content: dict[str, Any], expected: str, tmp_path: Path) -> None:
    data = precisionmembench(tmp_path)
    write_json(data / "fixtures/retrieval.cases.json", [case("x", **content)])
    with pytest.raises(DataError, match=r"retrieval.cases.json, row 0") as error:
        list(load(data).rows())
    assert expected in str(error.value)
