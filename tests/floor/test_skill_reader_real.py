"""The bm25 agent on real rows, cut crudely: the figures that it must not fall below."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from mabench.lookup import resolve
from tests.floor.informed import reply
from tests.floor.telling import in_lines

FACTS, SHOWN = "Conflict_Resolution", "Test_Time_Learning"


def row_of(folder: Path, split: str, source: str) -> dict[str, Any]:
    path = folder / "mab-dev" / "data" / f"{split}-00000-of-00001.parquet"
    if not path.is_file():
        pytest.skip(f"no real rows at {path}")
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return next(row for row in rows if row["metadata"]["source"] == source)


# Every other question takes half the time.
@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("split", "source", "max_tokens", "least"),
    [
        (SHOWN, "icl_banking77_5900shot_balance", 20, 71),
        pytest.param(SHOWN, "icl_trec_coarse_6600shot_balance", 20, 78, marks=pytest.mark.slow),
        (FACTS, "factconsolidation_sh_6k", 10, 97),
        pytest.param(FACTS, "factconsolidation_sh_32k", 10, 92, marks=pytest.mark.slow),
        (FACTS, "factconsolidation_mh_6k", 10, 65),
        ("Accurate_Retrieval", "ruler_qa1_197K", 50, 38),
    ],
)
def test_real_questions_are_answered_as_often_as_before(
    real_data: Path, split: str, source: str, max_tokens: int, least: int, step: int
) -> None:
    row = row_of(real_data, split, source)
    agent = resolve("bm25").make_agent()
    for chunk in in_lines(row["context"]):
        agent.memorize(chunk)
    right = 0
    asked = list(zip(row["questions"], row["answers"], strict=True))[::step]
    for question, golds in asked:
        answer = reply(agent, question, max_tokens)
        exact = source.startswith("icl")
        right += any(gold == answer if exact else gold in answer for gold in golds)
    assert right >= least / step
