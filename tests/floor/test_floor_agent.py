import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import fmean

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.contract import Passage, answer_of
from mabench.contract.answers import passages_of
from mabench.contract.interfaces import conformance_problems
from mabench.families import family_of, score_answer
from mabench.injection import protocol_named
from mabench.lookup import resolve
from mabench.scoring import Catalogue
from mabench.specs import AgentSpec
from mabench.text import estimate_tokens
from mabench_floor import FloorAgent
from mabench_synthetic import make_rows, row_specs
from tests.agents.queries import ask
from tests.floor.informed import in_lines, reply, told
from tests.floor.test_labels import SHOWN
from tests.floor.test_qa import CHATS
from tests.floor.test_recommendation import dialogues, opened
from tests.floor.test_stories import CASE
from tests.hash_seeds import outputs

[_FACT_ROW] = make_rows(row_specs("factconsolidation_mh_6k", 1, rows=1, tokens=1_500))
PROSE = "The old mill was built by Ruth Ames in 1804. It burnt down twice.\n\n" * 3
HISTORIES = [_FACT_ROW.context, SHOWN, PROSE, CHATS[0], CASE, dialogues(), ""]


def test_it_is_found_by_name_and_conforms() -> None:
    agent = resolve(AgentSpec(agent="floor")).make_agent()
    assert isinstance(agent, FloorAgent)
    assert conformance_problems(agent) == []


def test_what_is_memorized_after_a_question_counts_for_the_next() -> None:
    agent = resolve(AgentSpec(agent="floor")).make_agent()
    agent.memorize("0. Ann plays the harp.\n1. Bob plays the lute.\n2. Cy plays the drum.")
    assert answer_of(agent.answer(ask("What does Ann play?"))).text == "harp"
    agent.memorize("3. Ann plays the flute.")
    answer = answer_of(agent.answer(ask("What does Ann play?")))
    assert answer.text == "flute"
    assert passages_of(answer.retrieved) == [Passage("3. Ann plays the flute.")]


# One for each skill, with text for those that say it in other letters.
QUESTIONS = [
    "Who? Or what, A or B",
    "How many days ago did it?",
    "Which?\n1. Он пришёл.\n['a b', 'c d']",
    "A?\nA. x y\nB. z",
    "Summarize it.",
    opened("Any tractor in it"),
]
# Learnt once for all examples: answering leaves what was learnt as it is.
_learnt = cache(lambda history: told(in_lines(history)))


@pytest.mark.parametrize("history", HISTORIES)
@settings(max_examples=20)
@given(st.text(max_size=60) | st.sampled_from(QUESTIONS), st.integers(1, 400))
def test_any_question_is_answered_within_the_budget(
    history: str, question: str, budget: int
) -> None:
    answer = _learnt(history)(question, budget)
    assert estimate_tokens(answer) <= budget
    assert _learnt(history)(question, budget) == answer


@settings(max_examples=30)
@given(st.lists(st.text(max_size=300), max_size=4), st.sampled_from(["Who is it?", *QUESTIONS]))
def test_any_text_can_be_memorized(chunks: list[str], question: str) -> None:
    assert told(chunks)(question) == told(chunks)(question)


@settings(max_examples=30)
@given(names=st.lists(st.text(min_size=1, max_size=12), min_size=4, max_size=12))
def test_facts_about_any_names_can_be_memorized(names: list[str]) -> None:
    lines = [f"{i}. {name} lives in the town of Oldham." for i, name in enumerate(names)]
    assert isinstance(told(["\n".join(lines)])(f"Where does {names[0]} live?"), str)


@pytest.mark.parametrize(
    "chunk",
    [
        "word " * 30_000,
        "\U0001f600\u0301 " * 10_000,
        "".join(f"{i}. " for i in range(2_000)),
        "".join(f"{i}. {'is ' * 30}\n" for i in range(500)),
        *("label: 1 " * 5_000, "User: " * 5_000, "['a': 'b' " * 5_000),
    ],
)
@pytest.mark.parametrize("question", ["What is it?", "User: hi\nSystem: hello\nUser:"])
def test_odd_and_huge_texts_are_survived(chunk: str, question: str) -> None:
    assert isinstance(told([chunk])(question), str)


@pytest.mark.parametrize("history", HISTORIES)
def test_the_same_history_gives_the_same_answers(history: str) -> None:
    questions = [*(line.split(". ", 1)[-1] for line in history.splitlines()[:40]), *QUESTIONS]
    one, other = told(in_lines(history)), told(in_lines(history))
    assert [one(question) for question in questions] == [other(question) for question in questions]


SCRIPT = """
from mabench_synthetic import make_rows, row_specs
from tests.floor.informed import told
for source in ("factconsolidation_mh_6k", "icl_trec_coarse_6600shot_balance"):
    [row] = make_rows(row_specs(source, 2, rows=1, tokens=3_000, questions=30))
    print([told([row.context])(question) for question in row.questions])
"""


@pytest.mark.slow
def test_answers_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    assert len(outputs(SCRIPT, tmp_path)) == 1


FACTS, LEARNT, RETRIEVED = "Conflict_Resolution", "Test_Time_Learning", "Accurate_Retrieval"
IN_PART, EXACT = "substring_exact_match", "exact_match"
# How the floor and bm25 must at least answer each source; None where bm25 is not asked.
LEAST = [
    (FACTS, "factconsolidation_sh_6k", IN_PART, 99, 98),
    (FACTS, "factconsolidation_sh_32k", IN_PART, 97, None),
    (FACTS, "factconsolidation_mh_6k", IN_PART, 91, 78),
    (FACTS, "factconsolidation_mh_32k", IN_PART, 85, None),
    (RETRIEVED, "ruler_qa1_197K", IN_PART, 49, 48),
    (RETRIEVED, "ruler_qa1_197K", EXACT, 45, None),
    (LEARNT, "icl_banking77_5900shot_balance", EXACT, 94, 85),
    (LEARNT, "icl_trec_coarse_6600shot_balance", EXACT, 95, 86),
    (LEARNT, "recsys_redial_full", "recsys_recall@5", 14, None),
]


def _cases() -> Iterator[object]:
    """Say who is asked what under which protocol; what takes long is slow."""
    for split, source, metric, floor, bm25 in LEAST:
        agents = [("floor", "structured", floor), ("floor", "paper", floor)]
        for agent, protocol, least in agents + ([("bm25", "structured", bm25)] if bm25 else []):
            is_long = split == LEARNT or metric == EXACT or protocol == "paper" or agent == "bm25"
            marks = [pytest.mark.slow] if is_long else []
            yield pytest.param(agent, protocol, split, source, metric, least, marks=marks)


@pytest.mark.parametrize(("name", "protocol", "split", "source", "metric", "least"), [*_cases()])
def test_real_questions_are_answered(
    real_data: Path, name: str, protocol: str, split: str, source: str, metric: str, least: int
) -> None:
    if protocol == "paper":
        pytest.importorskip("tiktoken", reason="the published chunker takes the extra 'paper'")
    path = real_data / "mab-dev" / "data" / f"{split}-00000-of-00001.parquet"
    if not path.is_file():
        pytest.skip(f"no real rows at {path}")
    rows = pq.read_table(path).to_pylist()
    row = next(row for row in rows if row["metadata"]["source"] == source)
    catalogue = Catalogue(json.loads((real_data / "entity2id.json").read_text(encoding="utf-8")))
    rules, family = protocol_named(protocol), family_of(source)
    agent = resolve(AgentSpec(agent=name)).make_agent()
    for chunk in rules.chunks(family, row["context"], offline=True):
        agent.memorize(chunk)
    scores = []
    for question, golds in zip(row["questions"], row["answers"], strict=True):
        answer = reply(agent, question, rules.budget(family).answer_tokens)
        scores.append(score_answer(source, answer, golds, question, catalogue).official)
    assert 100 * fmean(score[metric] for score in scores) >= least
