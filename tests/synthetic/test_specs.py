from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.data.inventory import SOURCES
from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench_synthetic import (
    DIFFICULTIES,
    GENERATORS,
    Generator,
    Knob,
    RowSpec,
    entities_of,
    knobs_of,
    make_rows,
    register,
    row_specs,
    row_specs_named,
    sources_named,
)
from mabench_synthetic.generator import QAPair, row_content


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
        ({"difficulty": "simple"}, "no such difficulty: 'simple'; known: easy, real, hard"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        row_specs_named(["factconsolidation", "recsys"], 0, **settings)  # type: ignore[arg-type]


def test_knobs_have_ranges_and_go_to_the_families_that_know_them() -> None:
    specs = row_specs_named(["factconsolidation_sh_6k", "recsys"], 0, knobs={"noise": 0.25})
    assert [spec.knobs.get("noise") for spec in specs] == [0.25, None]
    assert {source.family for source in SOURCES} == {*GENERATORS}
    assert all(generator.family == name for name, generator in GENERATORS.items())
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
    (spec,) = row_specs("detective_qa", 0, rows=1, knobs={"bystanders": 7}, difficulty="easy")
    assert spec.knobs == {"bystanders": 7}, "a knob goes before the difficulty"


@pytest.mark.parametrize("source", [*{s.family: s.name for s in SOURCES}.values()])
def test_easy_and_hard_lie_on_both_sides_of_real(source: str) -> None:
    knobs = {name: row_specs(source, 0, difficulty=name)[0].knobs for name in DIFFICULTIES}
    assert knobs["real"] == {knob.name: knob.default for knob in knobs_of(source)}
    moved = [name for name in knobs["real"] if knobs["easy"][name] != knobs["hard"][name]]
    assert moved
    for name in moved:
        values = [knobs[difficulty][name] for difficulty in DIFFICULTIES]
        assert sorted(values) in (values, values[::-1])


def _echo(spec: RowSpec) -> RowContent:
    loudness = spec.knobs["loudness"]
    pairs = [QAPair(f"Echo {i}?", (str(loudness),)) for i in range(spec.questions)]
    return row_content(spec.source, "Hello. " * spec.tokens, pairs)


def test_a_generator_from_outside_makes_the_rows_of_its_family(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(GENERATORS, "ruler", GENERATORS["ruler"])
    knob = Knob("loudness", 3, 1, 9, "how loud")
    more: dict[str, Any] = {"knobs": (knob,), "entities": lambda _: {"echo": 7}}
    register(Generator(family="ruler", make_row=_echo, **more))
    assert knobs_of("ruler_qa1_197K") == (knob,)
    specs = row_specs("ruler_qa1_197K", 0, tokens=5, questions=2, knobs={"loudness": 9})
    (row,) = make_rows(specs)
    assert (row.context, row.answers) == ("Hello. " * 5, [["9"], ["9"]])
    assert entities_of(specs) == {"echo": 7}
    with pytest.raises(UsageError, match="loudness=10: must lie between 1 and 9"):
        row_specs("ruler_qa1_197K", 0, knobs={"loudness": 10})


def test_only_recommendations_refer_to_entities_of_one_seed() -> None:
    assert [g.family for g in GENERATORS.values() if g.entities] == ["recsys"]
    assert entities_of(row_specs("detective_qa", 0)) is None
    assert entities_of([]) is None
    several = [spec for seed in (0, 1) for spec in row_specs("recsys_redial_full", seed)]
    with pytest.raises(UsageError, match="a data set for each seed"):
        entities_of(several)


@given(st.integers(1, 60), st.sampled_from([0.0, 0.08, 0.2, 0.3]))
@settings(max_examples=20, deadline=None)
def test_a_share_of_the_questions_cannot_be_answered(questions: int, abstention: float) -> None:
    knobs = {"abstention": abstention}
    specs = row_specs("longmemeval_s*", 0, tokens=9_000, rows=1, questions=questions, knobs=knobs)
    (row,) = make_rows(specs)
    ids = row.metadata.get("question_ids") or []
    assert sum(i.endswith("_abs") for i in ids) == round(abstention * questions)
    assert len(row.questions) >= questions
