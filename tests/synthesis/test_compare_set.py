"""Many histories: `generate --rows`, and the data set made to compare agents on."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

import mabench
from mabench.data.inventory import BY_NAME, SOURCES
from mabench.loading import synthetic_dataset
from mabench.runs import Run
from mabench.synthesis import DATASETS, GENERATORS, make_rows, row_specs_named

_FAMILIES = tuple(GENERATORS)
_SECONDS = 60
_QUESTIONS = {"infbench": 1, "detective": 8}


@pytest.mark.parametrize("family", _FAMILIES)
def test_thirty_rows_of_a_family_are_thirty_histories(family: str) -> None:
    specs = row_specs_named(
        [family], 1, tokens=8_000, rows=30, questions=_QUESTIONS.get(family, 10)
    )
    sources = Counter(spec.source for spec in specs)
    assert set(sources.values()) == {30}
    one = [spec for spec in specs if spec.source == specs[0].source]
    assert len({row.context for row in make_rows(one)}) == 30


def test_there_are_twenty_histories_of_each_family_at_8k_to_32k() -> None:
    specs = DATASETS["compare"](0)
    of_family = Counter(BY_NAME[spec.source].family for spec in specs)
    assert of_family == dict.fromkeys(_FAMILIES, 20)
    assert {8_000, 32_000} <= {spec.tokens for spec in specs}
    assert all(8_000 <= spec.tokens <= 32_000 for spec in specs)
    assert all(spec.questions <= 20 for spec in specs)
    order = [source.name for source in SOURCES]
    assert [spec.source for spec in specs] == sorted(
        (spec.source for spec in specs), key=order.index
    )


def test_it_is_made_within_a_minute_on_two_cores() -> None:
    start = time.process_time()
    rows = list(mabench.load("synthetic:compare").rows())
    assert time.process_time() - start < _SECONDS
    assert len(rows) == 160
    # The sources of a family have histories of their own here.
    assert len({row.context for row in rows}) == 160
    assert all(len(row.questions) == len({*row.questions}) <= 20 for row in rows)


def test_all_golds_of_recommendation_are_known_entities(tmp_path: Path) -> None:
    specs = [s for s in DATASETS["compare"](0) if s.source == "recsys_redial_full"]
    run = mabench.run("oracle", synthetic_dataset("some", specs[::6]), out=tmp_path / "run")
    assert run.summary.sources["recsys_redial_full"].official == 100


def _bm25(out: Path, k: int, sources: list[str]) -> Run:
    return mabench.run("bm25", "synthetic:compare", sources=sources, out=out, settings={"k": k})


@pytest.mark.slow
def test_a_comparison_tells_depths_of_search_apart(tmp_path: Path) -> None:
    """On real rows bm25 at k=10 answers far more of FactConsolidation than at k=3."""
    sources = ["factconsolidation_mh_32k", "factconsolidation_sh_32k"]
    runs = [_bm25(tmp_path / f"k{k}", k, sources) for k in (10, 3)]
    found = mabench.compare(runs).pairs[0].sources.values()
    assert all(source.histories == 10 and source.difference > 0 for source in found)
    limits = [source.new_histories for source in found]
    assert min(limit.p for limit in limits if limit and limit.p is not None) < 0.01
