from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.data.inventory import SOURCES, Source
from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench_synthetic import (
    DATASETS,
    GENERATORS,
    Generator,
    Knob,
    RowSpec,
    entities_of,
    knobs_of,
    make_rows,
    register,
    row_specs,
)
from mabench_synthetic.generator import QAPair, row_content


def test_every_family_of_the_inventory_has_a_generator() -> None:
    assert {source.family for source in SOURCES} == {*GENERATORS}
    assert all(generator.family == name for name, generator in GENERATORS.items())


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


def test_only_rows_of_the_sources_asked_for_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(spec: RowSpec) -> RowContent:
        raise AssertionError(spec)

    for family in {*GENERATORS} - {"factconsolidation"}:
        monkeypatch.setitem(GENERATORS, family, replace(GENERATORS[family], make_row=fail))
    (row,) = make_rows(DATASETS["medium"](0), ["factconsolidation_sh_6k"])
    place = (row.source, row.split, row.index)
    assert place == ("factconsolidation_sh_6k", "Conflict_Resolution", 4)


@given(
    st.sampled_from([source for source in SOURCES if source.family != "infbench"]),
    st.integers(1, 10),
    st.integers(0, 3),
)
@settings(max_examples=60, deadline=None)
def test_a_row_has_the_questions_of_its_spec(source: Source, questions: int, seed: int) -> None:
    (row,) = make_rows(row_specs(source.name, seed, tokens=9_000, rows=1, questions=questions))
    assert len(row.questions) == questions


@given(st.integers(1, 60), st.sampled_from([0.0, 0.08, 0.2, 0.3]))
@settings(max_examples=20, deadline=None)
def test_a_share_of_the_questions_cannot_be_answered(questions: int, abstention: float) -> None:
    knobs = {"abstention": abstention}
    specs = row_specs("longmemeval_s*", 0, tokens=9_000, rows=1, questions=questions, knobs=knobs)
    (row,) = make_rows(specs)
    ids = row.metadata.get("question_ids") or []
    assert sum(i.endswith("_abs") for i in ids) == round(abstention * questions)
    assert len(row.questions) >= questions
