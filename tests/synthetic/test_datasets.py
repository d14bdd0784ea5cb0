from __future__ import annotations

import hashlib
import json
import time
from itertools import groupby

import pytest

from mabench.data.inventory import BY_NAME, SOURCES, SPLITS
from mabench.data.schema import Row
from mabench_synthetic.manifest import GENERATION
from tests.synthetic.small import SmallData, small

# Of the second generation of rows. Another value needs another GENERATION.
_HASH = "3aa6efb859ceb9ecef7bf6472324525318359d0c12bdea4701114f723275c172"


def test_rows_and_entities_of_a_seed_do_not_change() -> None:
    rows, entities = small(0)
    content = b"".join(row.canonical() for row in rows) + json.dumps(entities).encode()
    assert GENERATION == 2
    assert hashlib.sha256(content).hexdigest() == _HASH


def test_all_families_and_splits_are_there_in_order_with_their_metadata(data: SmallData) -> None:
    names = [source.name for source in SOURCES]
    order = [names.index(row.source) for row in data.rows]
    assert [row.split for row, _ in zip(data.rows, order, strict=True)] == sorted(
        (row.split for row in data.rows), key=SPLITS.index
    )
    assert {BY_NAME[row.source].family for row in data.rows} == {s.family for s in SOURCES}
    for split, rows in groupby(data.rows, key=lambda row: row.split):
        found = list(rows)
        assert [row.index for row in found] == list(range(len(found)))
        assert all(BY_NAME[row.source].split == split for row in found)
    for row in data.rows:
        questions = list(row.flatten())
        assert len(questions) == len(row.questions) > 0
        assert all(question.qa_pair_id for question in questions)
        assert len({question.qa_pair_id for question in questions}) == len(questions)
        assert all(q.answers and all(a.strip() for a in q.answers) for q in questions)


@pytest.mark.parametrize(
    ("source", "questions", "first_id"),
    [
        ("ruler_qa1_197K", 25, "ruler_qa1_197K_no0"),
        ("ruler_qa2_421K", 25, "ruler_qa2_421K_no0"),
        ("eventqa_full", 20, "eventqa_full_no0"),
        ("longmemeval_s*", 24, "longmemeval_s*_no0"),
        ("recsys_redial_full", 20, "recsys_redial_full_no0"),
        ("icl_banking77_5900shot_balance", 40, "icl_banking77_5900shot_balance_no0"),
        ("icl_trec_coarse_6600shot_balance", 30, "icl_trec_coarse_6600shot_balance_no0"),
        ("infbench_sum_eng_shots2", 1, "infbench_sum_eng_shots2_no0"),
        ("detective_qa", 8, "detective_qa_book0_no0"),
        ("factconsolidation_mh_6k", 40, "factconsolidation_mh_6k_no0"),
        ("factconsolidation_sh_6k", 40, "factconsolidation_sh_6k_no0"),
    ],
)
def test_each_source_has_its_size(
    data: SmallData, source: str, questions: int, first_id: str
) -> None:
    row = next(row for row in data.rows if row.source == source)
    assert len(set(row.questions)) == questions
    assert (row.metadata.get("qa_pair_ids") or [])[0] == first_id
    assert 15_000 < len(row.context) < 150_000


def test_it_is_made_quickly_and_stays_small() -> None:
    start = time.process_time()
    made = small(3)
    assert time.process_time() - start < 2
    assert sum(len(row.model_dump_json()) for row in made.rows) < 2_000_000


def test_other_seeds_give_other_answers() -> None:
    def golds(row: Row) -> set[str]:
        return {part for answers in row.answers for part in answers[0].split() if part.istitle()}

    one, other = (
        {name for row in small(seed).rows if row.source.startswith("fact") for name in golds(row)}
        for seed in (0, 1)
    )
    generic = {"Academy", "Bank", "Brewery", "Conservatory", "Foundation", "Institute", "Museum"}
    generic |= {"Press", "Printworks", "Shipyard", "Society", "Theatre"}
    assert len(one) > 40
    assert len((one & other) - generic) <= 0.01 * len(one)
