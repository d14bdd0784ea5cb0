from collections import Counter
from typing import Any

import pytest

from mabench.data.inventory import BY_NAME, SOURCES
from mabench.errors import UsageError
from mabench.families import family_of
from mabench.injection import protocol_named
from mabench_synthetic import (
    DATASETS,
    DIFFICULTIES,
    GENERATORS,
    knobs_of,
    make_rows,
    row_specs,
    row_specs_named,
    sources_named,
)


def test_the_full_set_has_the_inventory_of_the_hub_and_the_medium_a_tenth() -> None:
    specs = DATASETS["full"](0)
    rows = Counter(spec.source for spec in specs)
    questions: Counter[str] = Counter()
    for spec in specs:
        questions[spec.source] += spec.questions
    assert rows == {source.name: source.rows for source in SOURCES}
    assert questions == {source.name: source.questions for source in SOURCES}
    assert (len(specs), sum(questions.values())) == (146, 3671)
    assert all(spec.tokens == BY_NAME[spec.source].context_tokens for spec in specs)
    assert all(6 <= spec.questions <= 10 for spec in specs if spec.source == "detective_qa")
    sizes = {name: sum(spec.tokens for spec in DATASETS[name](0)) for name in ("medium", "full")}
    assert {spec.source for spec in DATASETS["medium"](0)} == {source.name for source in SOURCES}
    assert 0.09 < sizes["medium"] / sizes["full"] < 0.11


@pytest.mark.parametrize(
    ("name", "tokens", "sources"),
    [
        ("detective_qa", None, ["detective_qa"]),
        ("detective_qa", 99, ["detective_qa"]),
        ("eventqa", None, ["eventqa_full", "eventqa_65536", "eventqa_131072"]),
        ("eventqa", 100_000, ["eventqa_131072"]),
        ("factconsolidation_mh", 6_000, ["factconsolidation_mh_6k"]),
        ("factconsolidation_mh", 1_000_000, ["factconsolidation_mh_262k"]),
        ("factconsolidation", 40_000, ["factconsolidation_mh_32k", "factconsolidation_sh_32k"]),
        ("ruler", 1_000, ["ruler_qa1_197K", "ruler_qa2_421K"]),
        ("longmemeval", None, ["longmemeval_s*"]),
        ("all", None, [source.name for source in SOURCES]),
    ],
)
def test_a_name_means_a_source_or_a_family(
    name: str, tokens: int | None, sources: list[str]
) -> None:
    assert sources_named(name, tokens) == sources


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"knobs": {"hops": 2}}, "has a knob 'hops': did you mean .*known: circle, conflicts"),
        ({"knobs": {"conflicts": 2}}, r"conflicts=2: must lie between 0.0 and 0.9"),
        ({"knobs": {"most_hops": 2.5}}, "most_hops=2.5: takes whole numbers"),
        ({"tokens": 0}, "tokens must be at least 1, not 0"),
        ({"rows": -1}, "rows must be at least 1, not -1"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        row_specs_named(["factconsolidation", "recsys"], 0, **settings)  # type: ignore[arg-type]


def test_knobs_have_ranges_and_go_to_the_families_that_know_them() -> None:
    specs = row_specs_named(["factconsolidation_sh_6k", "recsys"], 0, knobs={"noise": 0.25})
    assert [spec.knobs.get("noise") for spec in specs] == [0.25, None]
    for source in SOURCES:
        for knob in knobs_of(source.name):
            assert knob.lowest <= knob.default <= knob.highest
            assert knob.about
    (spec,) = row_specs("factconsolidation_mh_6k", 7, knobs={"most_hops": 3})
    assert spec.knobs == {
        knob.name: 3 if knob.name == "most_hops" else knob.default
        for knob in knobs_of("factconsolidation_mh_6k")
    }
    assert (spec.seed, spec.row, spec.tokens, spec.questions) == (7, 0, 6_000, 100)


def test_the_first_steps_search_among_more_than_sixty_chunks() -> None:
    """At the sizes that the structured protocol has by default."""
    protocol = protocol_named("structured")
    chunks = {
        row.source: len(protocol.chunks(family_of(BY_NAME[row.source]), row.context))
        for row in make_rows(DATASETS["start"](0))
    }
    families = {source.family for source in SOURCES}
    assert {BY_NAME[name].family for name in chunks} == families
    assert chunks.pop("icl_trec_coarse_6600shot_balance") > 20
    assert min(chunks.values()) > 60, chunks


_A_SOURCE = {source.family: source.name for source in SOURCES}
_QUESTIONS = {"infbench": 1, "detective": 8}


@pytest.mark.parametrize("family", GENERATORS)
def test_easy_and_hard_lie_on_both_sides_of_real(family: str) -> None:
    source = _A_SOURCE[family]
    knobs = {name: row_specs(source, 0, difficulty=name)[0].knobs for name in DIFFICULTIES}
    assert knobs["real"] == {knob.name: knob.default for knob in knobs_of(source)}
    moved = [name for name in knobs["real"] if knobs["easy"][name] != knobs["hard"][name]]
    assert moved
    for name in moved:
        values = [knobs[difficulty][name] for difficulty in DIFFICULTIES]
        assert sorted(values) in (values, values[::-1])


@pytest.mark.parametrize("family", GENERATORS)
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_rows_of_every_difficulty_can_be_made(family: str, difficulty: str) -> None:
    asked, source = _QUESTIONS.get(family, 10), _A_SOURCE[family]
    size: dict[str, Any] = {"tokens": 12_000, "rows": 1, "questions": asked}
    specs = row_specs(source, 1, **size, difficulty=difficulty)
    assert next(make_rows(specs)).questions
    assert specs[0].difficulty == difficulty


def test_a_knob_goes_before_the_difficulty_which_must_be_known() -> None:
    knobs = {"renamed": 0.5}
    (spec, *_) = row_specs("eventqa_full", 0, knobs=knobs, difficulty="easy")
    assert (spec.knobs["renamed"], spec.knobs["elsewhere"]) == (0.5, 0)
    with pytest.raises(UsageError, match="no such difficulty: 'simple'; known: easy, real, hard"):
        row_specs("eventqa_full", 0, difficulty="simple")
