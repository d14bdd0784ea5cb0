"""The floor and bm25 on real rows: the figures that they must not fall below."""

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pyarrow.parquet as pq
import pytest

from mabench.families import family_of, score_answer
from mabench.injection import protocol_named
from mabench.lookup import resolve
from mabench.scoring import Catalogue
from mabench.specs import AgentSpec
from tests.floor.informed import reply

FACTS, SHOWN, DOCUMENTS = "Conflict_Resolution", "Test_Time_Learning", "Accurate_Retrieval"
IN_PART, EXACT = "substring_exact_match", "exact_match"
# How the floor and bm25 must at least answer each source; None where bm25 is not asked.
LEAST = [
    (FACTS, "factconsolidation_sh_6k", IN_PART, 99, 98),
    (FACTS, "factconsolidation_sh_32k", IN_PART, 97, None),
    (FACTS, "factconsolidation_mh_6k", IN_PART, 91, 78),
    (FACTS, "factconsolidation_mh_32k", IN_PART, 85, None),
    (DOCUMENTS, "ruler_qa1_197K", IN_PART, 49, 48),
    (DOCUMENTS, "ruler_qa1_197K", EXACT, 45, None),
    (SHOWN, "icl_banking77_5900shot_balance", EXACT, 94, 85),
    (SHOWN, "icl_trec_coarse_6600shot_balance", EXACT, 95, 86),
    (SHOWN, "recsys_redial_full", "recsys_recall@5", 14, None),
]


def _cases() -> Iterator[object]:
    """Say who is asked what under which protocol; what takes long is slow."""
    for split, source, metric, floor, bm25 in LEAST:
        agents = [("floor", "structured", floor), ("floor", "paper", floor)]
        for agent, protocol, least in agents + ([("bm25", "structured", bm25)] if bm25 else []):
            is_long = split == SHOWN or (agent == "floor" and metric == EXACT)
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
