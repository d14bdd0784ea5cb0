"""PrecisionMemBench scores what was found as its description says."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
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
from tests.external.made_up import BELIEFS, CASES, belief, case, precisionmembench, write_json
from tests.external.second_rules import find_precisionmembench, score_precisionmembench

_SOURCE = FORMAT.sources[0]


def _told(beliefs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    names = [one["_id"] for one in beliefs]
    return {name: f"{name} name {name} alias {name} is told. So." for name in names}


@pytest.fixture(scope="module")
def row(tmp_path_factory: pytest.TempPathFactory) -> Row:
    [row] = load(precisionmembench(tmp_path_factory.mktemp("cases"))).rows()
    return row


def test_beliefs_are_turns_and_cases_questions(row: Row) -> None:
    assert row.context.splitlines() == [*_told(BELIEFS).values()]
    assert [(turn.id, turn.user) for turn in row.turns or []][-1] == ("o1", "other-user")
    assert row.metadata.get("qa_pair_ids") == [one["caseId"] for one in CASES]
    assert row.questions[1] == "(no words)"
    assert row.evidence == [["b1"], [], ["b2", "p1"], [], [], []]


# More beliefs: relations that join what others join, too, and of another user; what is resolved.
_BELIEFS = [
    *BELIEFS,
    belief("r2", type="relation", participants=["b1", "b2", "o2", "p1"]),
    belief("r3", type="relation", participants=None),
    belief("r4", type="relation", participants=["o2"], user_id="other-user", pinned=True),
    belief("o2", user_id="other-user", pinned=True, scope=["domain:garden"]),
    belief("p3", pinned=True, resolved_at="", superseded_by="", scope=["domain:garden"]),
    belief("p4", pinned=True, resolved_at="2026-01-01"),
    belief("q2", pinned=True, type="open_question", superseded_by="q1"),
]
_ANYWHERE = {"scope": ["domain:code", "domain:garden"]}
# More cases: budgets, scopes and users, tiers that nothing is expected of, and what cannot be met.
_CASES = [
    *CASES,
    case("none"),
    case("empty", relevantBeliefs={}) | _ANYWHERE,
    case("few", relevantBeliefs={"mustInclude": ["b1"]}) | {"budget": {"maxBeliefs": 1}},
    case("no-beliefs", relevantBeliefs={"mustExclude": ["b1"]}) | {"budget": {"maxBeliefs": 0}},
    case("three", relevantBeliefs={"shouldOnlyInclude": ["b1", "b2"]})
    | {"budget": {"maxBeliefs": 4}},
    case("should", relevantBeliefs={"shouldInclude": ["b2", "p1"], "maxCount": 2}),
    case("least", relevantBeliefs={"minCount": 2, "mustInclude": ["p4", "b1"]}) | _ANYWHERE,
    case("pinned", relevantBeliefs={"mustInclude": ["p1"], "mustExclude": ["p3"]}) | _ANYWHERE,
    case("joined", relevantBeliefs={"orderedBefore": [["r1", "b2"], ["b2", "b3"]]}) | _ANYWHERE,
    case("anywhere", relevantBeliefs={"shouldOnlyInclude": ["r1", "b2", "b3", "p1"]})
    | {"scope": []},
    case("other", relevantBeliefs={"mustInclude": ["r4"], "maxCount": 1})
    | {"userId": "other-user"},
    case("twice", relevantBeliefs={"mustInclude": ["r1", "r2"], "maxCount": 4}) | _ANYWHERE,
    case("closed", openQuestions={"mustInclude": ["q2"], "mustExclude": ["q1"]})
    | {"budget": {"maxQuestions": 1}},
    case("no-questions", openQuestions={"mustExclude": ["q1"]}) | {"budget": {"maxQuestions": 0}},
]


def test_scores_equal_a_second_implementation(tmp_path: Path) -> None:
    """Written by somebody who knew the published code and not ours; see ``second_rules``."""
    folder = precisionmembench(tmp_path)
    write_json(folder / "fixtures/beliefs.seed.json", _BELIEFS)
    write_json(folder / "fixtures/retrieval.cases.json", _CASES)
    [row] = load(folder).rows()
    told, seeded = _told(_BELIEFS), [b["_id"] for b in _BELIEFS if b["pinned"] and _is_own(b)]
    chosen, outcomes = random.Random(65), Counter[tuple[str, float | None]]()
    for place in range(4_000):
        number = place % len(_CASES)
        returned = chosen.sample([*told], chosen.choice((0, 1, 1, 2, 3, 4, 8, 15)))
        if place % 3 == 0:
            returned = chosen.sample(["b1", "b2", "r1", "r2", "r4"], chosen.randint(1, 3))
        if place % 7 == 0:
            returned = _wanted(_CASES[number])
        text = "\n\n".join(told[name] for name in returned)
        score = score_answer(_SOURCE, text, row.answers[number], row.questions[number])
        found = find_precisionmembench(returned, _CASES[number], _BELIEFS)
        second = score_precisionmembench(found, _CASES[number]["expect"], seeded)
        ours = {name: score.official.get(name) for name in second}
        assert ours == second, (returned, _CASES[number])
        outcomes.update(ours.items())
    for name, values in (("passed", (0, 1)), ("precision", (0, 1, None)), ("recall", (0, 1, None))):
        assert min(outcomes[name, value] for value in values) > 100


def _wanted(case: Mapping[str, Any]) -> list[str]:
    beliefs = case["expect"].get("relevantBeliefs", {})
    return list(beliefs.get("shouldOnlyInclude", beliefs.get("mustInclude", ())))


def _is_own(one: Mapping[str, Any]) -> bool:
    return bool(one["user_id"] == "test-user")


def test_a_run_scores_the_passages_and_not_the_answer(tmp_path: Path) -> None:
    precisionmembench(tmp_path / "data")
    command = ("run", "bm25", "--data", "data", "--protocol", "turns", "--out", "run")
    done = succeed(*command, "--set", "k=1", cwd=tmp_path)
    assert "precisionmembench" in done.stdout
    [run] = (tmp_path / "run").glob("samples.jsonl")
    assert _told(BELIEFS)["b1"] in run.read_text("utf-8")


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
