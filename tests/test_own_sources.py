import json
import shutil
import tomllib
from pathlib import Path

import pytest

import mabench
from mabench.audit import audit
from mabench.contract import Query
from mabench.data import BY_NAME, Source, export_hub_layout
from mabench.data.example import KINDS, write_example
from mabench.errors import DataError, UsageError
from mabench.families import FAMILIES, Prompts, family_of
from mabench.injection import protocol_named
from mabench.inspection import question_views
from mabench.loading import load, validate
from mabench.models import ModelSpec
from mabench.results import Run, Sample, judge, rescore, score_files
from mabench.runs import estimate_run
from mabench.specs import AgentSpec, DataSpec, JudgeSpec, RunSpec
from tests import parts
from tests.command_line import mabench as command
from tests.command_line import succeed
from tests.data.test_sources_file import DECLARED, NAME, folder_of, rows
from tests.models.server import serving
from tests.printing import print_run


class Echo:
    """Answers red to everything, and remembers what it was told and asked."""

    told: list[str]
    asked: list[str]

    def __init__(self) -> None:
        Echo.told, Echo.asked = [], []

    def memorize(self, chunk: str) -> None:
        Echo.told.append(chunk)

    def answer(self, query: Query) -> str:
        Echo.asked.append(str(query))
        return "It is red."


@pytest.fixture
def tickets(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "tickets", DECLARED)


@pytest.fixture
def run(tickets: Path, tmp_path: Path) -> Run:
    return mabench.run(Echo, tickets, out=tmp_path / "run")


def test_a_source_is_told_asked_and_scored_as_it_says(tickets: Path, tmp_path: Path) -> None:
    listed = list(protocol_named("structured").list_chunks(load(tickets), chunk_tokens=12))
    assert [(one.source, one.chunks) for one in listed] == [(NAME, 2)] * 5
    run = parts.run(Echo, tickets, chunk_tokens=12, out=tmp_path / "run")
    assert [chunk[:9] for chunk in Echo.told] == ["Ticket 1:", "Ticket 2:"]
    assert Echo.asked == ["Now Answer the Question: Which colour has the pump 4?"]
    source = run.summary.sources[NAME]
    # By the family's own metric it would be right officially, too; its rule says so anyway.
    assert (source.metric, source.official, source.corrected) == ("exact_match", 0, 100)
    file = tmp_path / "prompts.toml"
    file.write_text(f'[{NAME}]\nanswer = "Tell: {{question}}"', encoding="utf-8")
    parts.run(Echo, tickets, prompts=file, out=tmp_path / "prompted")
    assert Echo.asked == ["Tell: Which colour has the pump 4?"]


def test_own_sources_enter_no_mean_of_the_paper_nor_stand_in_the_way_of_one(
    run: Run, tmp_path: Path
) -> None:
    summary = run.summary
    assert (summary.columns, summary.overall) == ({}, None)
    assert all(category.official is None for category in summary.categories.values())
    text = print_run(run, width=300)
    assert "Category" not in text
    assert f"Sources of your own or of other benchmarks: {NAME}." in text
    own, facts = rows(1)[0], dict(next(iter(load("synthetic:small").rows())))
    mixed = [own, {key: facts[key] for key in ("context", "questions", "answers")}]
    mixed[1]["metadata"] = {"source": "ruler_qa1_197K"}
    run = mabench.run(Echo, mixed, sources={NAME: {"family": "answer"}}, out=tmp_path / "mixed")
    assert list(run.summary.columns) == ["SH-QA"]
    assert "Category" in print_run(run, width=300)


def test_rows_run_in_other_processes_alike(run: Run, tickets: Path, tmp_path: Path) -> None:
    there = mabench.run(Echo, tickets, out=tmp_path / "there", executor="processes")
    assert in_order(there) == in_order(run)
    sources = {NAME: {"family": "answer", "unit": r"^Ticket \d+:"}}  # From Python, too.
    made = [
        mabench.run(Echo, rows(), sources=sources, executor=executor, out=tmp_path / executor)
        for executor in ("local", "processes")
    ]
    assert made[0].summary.sources[NAME].official == 100
    assert in_order(made[0]) == in_order(made[1])


def in_order(run: Run) -> list[Sample]:
    return sorted(run.samples(), key=lambda sample: sample.key)


def test_a_run_is_resumed_and_refused_when_its_sources_changed(
    run: Run, tickets: Path, tmp_path: Path
) -> None:
    samples = run.folder / "samples.jsonl"
    whole = samples.read_bytes()
    samples.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    again = mabench.run(Echo, tickets, out=run.folder)
    assert samples.read_bytes() == whole
    assert again.summary.sources[NAME].n == 5
    (tickets / "sources.toml").write_text(DECLARED.replace("exact_match", "f1"), encoding="utf-8")
    with pytest.raises(UsageError, match="another run: data fingerprint"):
        mabench.run(Echo, tickets, out=run.folder)


def test_the_folder_of_a_run_keeps_what_its_sources_are(run: Run, tickets: Path) -> None:
    kept = json.loads((run.folder / "run.json").read_text("utf-8"))["sources"]
    assert kept[NAME] == {"split": "Own", **tomllib.loads(DECLARED)[NAME]}
    before = (run.folder / "summary.json").read_bytes()
    (tickets / "sources.toml").unlink()
    rescore(run.folder)
    assert (run.folder / "summary.json").read_bytes() == before
    view = next(question_views(Run(run.folder), run.questions()))
    assert view.without is None
    assert view.golds
    assert (view.golds[0].text or "").startswith("Ticket 1:")


def test_predictions_audits_estimates_and_exports_know_the_sources(
    tickets: Path, tmp_path: Path
) -> None:
    file = tmp_path / "predictions.jsonl"
    lines = [json.dumps({"qa_pair_id": f"t{n}", "prediction": "red"}) for n in range(5)]
    file.write_text("\n".join(lines), encoding="utf-8")
    summary = score_files([file], tickets, out=tmp_path / "scored")
    assert summary.sources[NAME].official == 100
    assert print_run(Run(tmp_path / "scored"))
    found = audit(load(tickets))
    assert found.counts()["gold-absent"] == 0
    model = ModelSpec("openai/gpt-4o-mini")
    spec = RunSpec(agent=AgentSpec(agent="bm25", model=model), data=DataSpec(data=tickets))
    (estimate,) = estimate_run(spec)
    assert (estimate.source, estimate.calls) == (NAME, 5)
    export_hub_layout(load(tickets), tmp_path / "exported")
    exported = load(tmp_path / "exported")
    assert exported.fingerprint == load(tickets).fingerprint
    assert validate(tmp_path / "exported") == []


def test_two_runs_are_compared_over_new_histories(run: Run, tickets: Path, tmp_path: Path) -> None:
    other = mabench.run("no-memory", tickets, out=tmp_path / "other")
    compared = mabench.compare([run.folder, other.folder], score="corrected")
    (pair,) = compared.pairs
    assert (pair.overall, pair.columns, pair.sources[NAME].histories) == (None, {}, 5)


@pytest.mark.usefixtures("key_and_cache")
def test_a_judged_source_is_judged(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path / "tickets", f'[{NAME}]\nfamily = "judged"\nunit = "^Ticket"', rows(2)
    )
    run = mabench.run(Echo, folder, out=tmp_path / "run")
    source = run.summary.sources[NAME]
    assert (source.needs, source.metric) == ("judge", "judge_accuracy")
    with serving(lambda prompt: "yes" if "pump 0" in prompt else "no") as served:
        spec = JudgeSpec(model=ModelSpec("m", base_url=served.url))
        done = judge(run.folder, spec).run
    assert done.summary.sources[NAME].official == 50


@pytest.mark.parametrize(
    ("family", "gold", "answer"),
    [
        ("answer", "red", "It is red."),
        ("choice", "A. red", "A. red"),
        ("label", "billing", "billing"),
        ("label", "7", "label: 7"),
    ],
)
def test_each_family_scores_rows_of_ones_own(family: str, gold: str, answer: str) -> None:
    source = Source(NAME, "Own", family)
    question = "Which?\nA. red\nB. blue"
    assert mabench.score_answer(source, answer, [gold], question).reported_corrected == 1
    assert mabench.score_answer(source, "none", [gold], question).reported_corrected == 0
    prompt = Prompts.load(sources={NAME: source}).ask(family, "Why?")
    assert "Now Answer the Question: Why?" in prompt
    assert "detective" not in prompt


def test_the_prompts_of_the_benchmark_stay_as_they_were() -> None:
    assert not {"answer", "choice", "label", "judged"} & {*FAMILIES}
    assert Prompts.load().hash == Prompts.load(sources=BY_NAME).hash
    assert {*Prompts.load().templates} == {*FAMILIES}


def test_a_family_in_a_module_takes_settings_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "from mabench.families import family_named\nMINE = family_named('ruler')\n"
    (tmp_path / "own_scoring.py").write_text(module, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    toml = f'[{NAME}]\nfamily = "own_scoring:MINE"\nmetric = "f1"\nunit = "^Ticket"'
    folder = folder_of(tmp_path / "tickets", toml)
    assert validate(folder) == []
    family = family_of(NAME, load(folder).sources)
    assert (family.name, family.metric) == (NAME, "f1")
    assert family.units("Ticket 1\nTicket 2") == ["Ticket 1\n", "Ticket 2"]


def test_a_run_over_an_unknown_source_or_a_slow_unit_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match=rf'\[{NAME}\]\nfamily = "answer".*\n# unit = '):
        mabench.run(Echo, rows(), out=tmp_path / "run")
    named = {"Accurate_Retrieval": rows()}  # Where something else tells the split.
    with pytest.raises(UsageError, match=rf'\[{NAME}\]\nfamily = "answer"'):
        mabench.run(Echo, named, out=tmp_path / "run")
    monkeypatch.setattr("mabench.data.sources_file._SECONDS", 0.2)
    unit = "(?:a|aa)" * 30 + "[bc]"
    sources = {NAME: {"family": "answer", "unit": unit}}
    slow = [{**rows(1)[0], "context": "a" * 60}]
    with pytest.raises(DataError, match="takes more than"):
        mabench.run(Echo, slow, sources=sources, out=tmp_path / "run")
    problem, *_ = validate(slow, sources=sources)
    assert (problem.severity, problem.row, problem.field) == ("error", 0, "context")


@pytest.mark.parametrize("like", KINDS)
def test_an_example_is_right_and_a_plain_search_misses_some_of_it(
    like: str, tmp_path: Path
) -> None:
    write_example(tmp_path / "mine", like)
    assert validate(tmp_path / "mine") == []
    data = load(tmp_path / "mine")
    rows = [*data.rows(f"my_{like}")]
    assert len({row.context for row in rows}) == 5
    assert not audit(data).flags
    run = mabench.run("bm25", tmp_path / "mine" / f"{like}.jsonl", out=tmp_path / "run")
    parts = run.summary.sources[f"my_{like}"].parts
    assert parts["right"] > 10
    assert parts["missed"] > 2
    if like == "chats":
        assert {len({turn.session for turn in row.turns or ()}) for row in rows} == {20}
    else:
        chunks = protocol_named("structured").list_chunks(data)
        assert min(row.chunks for row in chunks) >= 20


def test_an_example_runs_also_by_commands(tmp_path: Path) -> None:
    write_example(tmp_path / "mine")
    with pytest.raises(UsageError, match="is not an empty folder"):
        write_example(tmp_path / "mine")
    shutil.rmtree(tmp_path / "mine")
    succeed("data", "init", "mine", cwd=tmp_path)
    for line in ("data validate mine", "run no-memory --data mine --out r"):
        succeed(*line.split(), cwd=tmp_path)
    (tmp_path / "mine" / "sources.toml").unlink()
    done = command("run", "floor", "--data", "mine", cwd=tmp_path)
    assert done.returncode == 1
    assert '\n[my_documents]\nfamily = "answer"' in done.stderr
    done = command("data", "validate", "mine", cwd=tmp_path)
    assert '\n[my_documents]\nfamily = "answer"' in done.stdout
