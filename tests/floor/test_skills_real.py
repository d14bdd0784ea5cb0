"""The floor agent on real rows, under both protocols: the figures it must not fall below."""

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from mabench.families import family_of, score_answer
from mabench.injection import protocol_named
from mabench.scoring import Catalogue
from tests.floor.informed import informed, reply
from tests.floor.test_skill_reader_real import row_of


def scores(
    row: dict[str, Any], protocol: str, catalogue: Catalogue | None = None
) -> dict[str, float]:
    """Return the mean of every official metric, in percent."""
    source = row["metadata"]["source"]
    rules, family = protocol_named(protocol), family_of(source)
    max_tokens = rules.budget(family).answer_tokens
    agent = informed(rules.chunks(family, row["context"]))
    official = [
        score_answer(
            source, reply(agent, question, max_tokens), golds, question, catalogue
        ).official
        for question, golds in zip(row["questions"], row["answers"], strict=True)
    ]
    return {name: 100 * fmean(each[name] for each in official) for name in official[0]}


@pytest.mark.parametrize("protocol", ["paper", "structured"])
def test_facts_of_real_documents_are_found(real_data: Path, protocol: str) -> None:
    found = scores(row_of(real_data, "Accurate_Retrieval", "ruler_qa1_197K"), protocol)
    assert found["substring_exact_match"] >= 48
    assert found["exact_match"] >= 43


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["structured", "paper"])
def test_real_dialogues_teach_what_to_recommend(real_data: Path, protocol: str) -> None:
    entities = json.loads((real_data / "entity2id.json").read_text(encoding="utf-8"))
    row = row_of(real_data, "Test_Time_Learning", "recsys_redial_full")
    assert scores(row, protocol, Catalogue(entities))["recsys_recall@5"] >= 12
