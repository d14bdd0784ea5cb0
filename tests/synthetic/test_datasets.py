import hashlib
import json
import time
from itertools import groupby
from pathlib import Path

import pytest

from mabench import load
from mabench.data import Row
from mabench.data.inventory import BY_NAME, SOURCES, SPLITS
from mabench_synthetic.rows import GENERATION
from tests.synthetic.small import SmallData, small

# Of the third generation of rows. Another value needs another GENERATION.
_HASH = "5e3f3af3e6a133605690f29b2c300701442ca70e3129fad8c3e663b786a909ce"


def test_rows_and_entities_of_a_seed_do_not_change() -> None:
    rows, entities = small(0)
    content = b"".join(row.canonical() for row in rows) + json.dumps(entities).encode()
    assert GENERATION == 3
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


_QUESTIONS = {
    "ruler_qa1_197K": 25, "ruler_qa2_421K": 25, "eventqa_full": 20, "longmemeval_s*": 24,
    "icl_banking77_5900shot_balance": 40, "icl_trec_coarse_6600shot_balance": 30,
    "recsys_redial_full": 20, "infbench_sum_eng_shots2": 1, "detective_qa": 8,
    "factconsolidation_mh_6k": 40, "factconsolidation_sh_6k": 40,
}  # fmt: skip


def test_each_source_has_its_size(data: SmallData) -> None:
    assert {row.source: len({*row.questions}) for row in data.rows} == _QUESTIONS
    assert all(15_000 < len(row.context) < 150_000 for row in data.rows)
    for source in {row.source for row in data.rows}:
        row = next(row for row in data.rows if row.source == source)
        first_id = next(row.flatten()).qa_pair_id
        assert first_id == f"{source}{'_book0' * (source == 'detective_qa')}_no0"


def test_it_is_made_quickly_and_stays_small() -> None:
    start = time.process_time()
    made = small(3)
    assert time.process_time() - start < 2
    assert sum(len(row.model_dump_json()) for row in made.rows) < 2_000_000


def test_rows_of_a_named_data_set_come_from_the_cache_when_they_were_made_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path))

    def rows() -> list[Row]:
        return list(load("synthetic:small").select("eventqa").rows())

    made = rows()
    (file,) = (tmp_path / "made-up").iterdir()
    content = file.read_text()
    file.write_text(content.replace(made[0].questions[0][:20], "From the cache"))
    assert rows()[0].questions[0].startswith("From the cache")
    file.write_text(content[:99])
    assert rows() == made
    assert file.read_text() == content
