"""The floor on real rows, under both protocols: the figures that it must not fall below."""

from pathlib import Path

import pytest

from mabench.families import family_of
from mabench.injection import protocol_named
from tests.floor.telling import told
from tests.floor.test_skill_reader_real import row_of

FACTS, SHOWN = "Conflict_Resolution", "Test_Time_Learning"
DOCUMENTS = "Accurate_Retrieval"


@pytest.mark.parametrize("protocol", ["structured", "paper"])
@pytest.mark.parametrize(
    ("split", "source", "max_tokens", "least"),
    [
        (FACTS, "factconsolidation_sh_6k", 10, 97),
        (FACTS, "factconsolidation_sh_32k", 10, 95),
        (FACTS, "factconsolidation_mh_6k", 10, 85),
        (FACTS, "factconsolidation_mh_32k", 10, 80),
        pytest.param(DOCUMENTS, "ruler_qa1_197K", 50, 52, marks=pytest.mark.slow),
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
