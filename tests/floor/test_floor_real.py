"""The floor on real rows, under both protocols: the figures that it must not fall below."""

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from mabench.families import family_of, score_answer
from mabench.injection import protocol_named
from mabench.scoring import Catalogue
from tests.floor.informed import informed, reply
from tests.floor.telling import told
from tests.floor.test_skill_reader_real import FACTS, SHOWN, row_of


@pytest.mark.parametrize("protocol", ["structured", "paper"])
@pytest.mark.parametrize(
    ("split", "source", "max_tokens", "least"),
    [
        (FACTS, "factconsolidation_sh_6k", 10, 97),
        (FACTS, "factconsolidation_sh_32k", 10, 95),
        (FACTS, "factconsolidation_mh_6k", 10, 85),
        (FACTS, "factconsolidation_mh_32k", 10, 80),
        pytest.param(SHOWN, "icl_banking77_5900shot_balance", 20, 94, marks=pytest.mark.slow),
        pytest.param(SHOWN, "icl_trec_coarse_6600shot_balance", 20, 90, marks=pytest.mark.slow),
    ],
)
def test_real_questions_are_answered(
    real_data: Path, protocol: str, split: str, source: str, max_tokens: int, least: int
) -> None:
    if protocol == "paper":
        pytest.importorskip("tiktoken", reason="the published chunker takes the extra 'paper'")
    row = row_of(real_data, split, source)
    reply = told(protocol_named(protocol).chunks(family_of(source), row["context"], offline=True))
    right = 0
    for question, golds in zip(row["questions"], row["answers"], strict=True):
        answer = reply(question, max_tokens)
        right += any(gold == answer if split == SHOWN else gold in answer for gold in golds)
    assert right >= least


def scores(
    row: dict[str, Any], protocol: str, catalogue: Catalogue | None = None
) -> dict[str, float]:
    """Return the mean of every official metric, in percent."""
    source = row["metadata"]["source"]
    rules, family = protocol_named(protocol), family_of(source)
    max_tokens = rules.budget(family).answer_tokens
    agent = informed(rules.chunks(family, row["context"]))
    pairs = zip(row["questions"], row["answers"], strict=True)
    said = ((reply(agent, question, max_tokens), golds, question) for question, golds in pairs)
    official = [score_answer(source, *one, catalogue).official for one in said]
    return {name: 100 * fmean(each[name] for each in official) for name in official[0]}


@pytest.mark.parametrize("protocol", ["paper", "structured"])
def test_facts_of_real_documents_are_found(real_data: Path, protocol: str) -> None:
    found = scores(row_of(real_data, "Accurate_Retrieval", "ruler_qa1_197K"), protocol)
    assert found["substring_exact_match"] >= 46
    assert found["exact_match"] >= 41


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["structured", "paper"])
def test_real_dialogues_teach_what_to_recommend(real_data: Path, protocol: str) -> None:
    entities = json.loads((real_data / "entity2id.json").read_text(encoding="utf-8"))
    row = row_of(real_data, "Test_Time_Learning", "recsys_redial_full")
    assert scores(row, protocol, Catalogue(entities))["recsys_recall@5"] >= 12
