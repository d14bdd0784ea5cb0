"""Sources of one's own, and a family of one's own, from the rows to the report."""

import json
import tomllib
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.audit import audit
from mabench.contract import Query
from mabench.data import BY_NAME, Dataset, Source, export_hub_layout, read_declarations
from mabench.data.writing.example import write_example
from mabench.errors import DataError, UsageError
from mabench.families import FAMILIES, Prompts, ScoringInput, family_of, registry
from mabench.injection import protocol_named
from mabench.inspection import look_up
from mabench.loading import load, validate
from mabench.models import ModelSpec
from mabench.results import Run, judge, rescore, score_files
from mabench.runs import estimate_run
from mabench.specs import AgentSpec, DataSpec, JudgeSpec, RunSpec
from tests import parts
from tests.data.test_sources_file import DECLARED, NAME, folder_of, rows
from tests.models.server import serving
from tests.printing import print_run
from tests.rows import dataset, keep_samples
from tests.runs.agents import Notes


class Echo(Notes):
    """Answers red to everything, and remembers what it was told and asked."""

    def answer(self, query: Query) -> str:
        super().answer(query)
        return "It is red."


@pytest.fixture(scope="module")
def tickets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(tmp_path_factory.mktemp("own") / "tickets", DECLARED)


@pytest.fixture(scope="module")
def run(tickets: Path) -> Run:
    return mabench.run(Echo, tickets, out=tickets.with_name("run"))


def test_a_source_is_told_asked_and_scored_as_it_says(tickets: Path, tmp_path: Path) -> None:
    listed = list(protocol_named("structured").list_chunks(load(tickets), chunk_tokens=12))
    assert [(one.source, one.chunks) for one in listed] == [(NAME, 2)] * 5
    run = parts.run(Echo, tickets, chunk_tokens=12, out=tmp_path / "run")
    assert [chunk[:9] for chunk in Echo.told[-2:]] == ["Ticket 1:", "Ticket 2:"]
    assert Echo.queries[-1] == "Now Answer the Question: Which colour has the pump 4?"
    source = run.summary.sources[NAME]
    # By the family's own metric it would be right officially, too; its rule says so anyway.
    assert (source.metric, source.official, source.corrected) == ("exact_match", 0, 100)
    file = tmp_path / "prompts.toml"
    file.write_text(f'[{NAME}]\nanswer = "Tell: {{question}}"', encoding="utf-8")
    parts.run(Echo, tickets, prompts=file, out=tmp_path / "prompted")
    assert Echo.queries[-1] == "Tell: Which colour has the pump 4?"


def test_own_sources_enter_no_mean_of_the_paper_nor_stand_in_the_way_of_one(
    run: Run, tickets: Path, tmp_path: Path
) -> None:
    summary = run.summary
    assert (summary.columns, summary.overall) == ({}, None)
    assert all(category.official is None for category in summary.categories.values())
    text = print_run(run, width=300)
    assert "Category" not in text
    assert f"Sources of your own or of other benchmarks: {NAME}." in text
    other = mabench.run("no-memory", tickets, out=tmp_path / "other")
    (pair,) = mabench.compare([run.folder, other.folder], score="corrected").pairs
    assert (pair.overall, pair.columns, pair.sources[NAME].histories) == (None, {}, 5)
    own, facts = rows(1)[0], dict(next(iter(load("synthetic:small").rows())))
    mixed = [own, {key: facts[key] for key in ("context", "questions", "answers")}]
    mixed[1]["metadata"] = {"source": "ruler_qa1_197K"}
    run = mabench.run(Echo, mixed, sources={NAME: {"family": "answer"}}, out=tmp_path / "mixed")
    assert list(run.summary.columns) == ["SH-QA"]
    assert "Category" in print_run(run, width=300)


def test_rows_run_in_other_processes_alike(run: Run, tickets: Path, tmp_path: Path) -> None:
    there = mabench.run(Echo, tickets, executor="processes", out=tmp_path / "there")
    assert {*map(repr, there.samples())} == {*map(repr, run.samples())}


def test_the_folder_of_a_run_keeps_its_sources_and_it_is_refused_when_they_changed(
    tmp_path: Path,
) -> None:
    tickets = folder_of(tmp_path / "tickets", DECLARED)
    run = mabench.run(Echo, tickets, out=tmp_path / "run")
    kept = json.loads((run.folder / "run.json").read_text("utf-8"))["sources"]
    assert kept[NAME] == {"split": "Own", **tomllib.loads(DECLARED)[NAME]}
    files = [run.folder / name for name in ("samples.jsonl", "summary.json")]
    before = [file.read_bytes() for file in files]
    keep_samples(run.folder, 3)
    assert mabench.run(Echo, tickets, out=run.folder).summary.sources[NAME].n == 5
    assert files[0].read_bytes() == before[0]
    (tickets / "sources.toml").write_text(DECLARED.replace("exact_match", "f1"), encoding="utf-8")
    with pytest.raises(UsageError, match="another run: data fingerprint"):
        mabench.run(Echo, tickets, out=run.folder)
    (tickets / "sources.toml").unlink()
    before = [file.read_bytes() for file in files]
    rescore(run.folder)
    assert [file.read_bytes() for file in files] == before
    view = next(look_up(Run(run.folder), run.questions())).background
    assert view.without is None
    assert view.golds
    assert (view.golds[0].text or "").startswith("Ticket 1:")


def test_predictions_audits_estimates_and_exports_know_the_sources(
    tickets: Path, tmp_path: Path
) -> None:
    file = tmp_path / "predictions.jsonl"
    lines = [json.dumps({"qa_pair_id": f"t{n}", "prediction": "red"}) for n in range(5)]
    file.write_text("\n".join(lines), encoding="utf-8")
    [summary] = score_files([file], tickets, out=tmp_path / "scored")
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


@pytest.mark.usefixtures("key_and_cache")
def test_a_judged_source_is_judged(tmp_path: Path) -> None:
    toml = f'[{NAME}]\nfamily = "judged"\nunit = "^Ticket"'
    folder = folder_of(tmp_path / "tickets", toml, rows(2))
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
    # The prompts of the benchmark stay as they were.
    assert family not in FAMILIES
    assert {*Prompts.load().templates} == {*FAMILIES}
    assert Prompts.load().hash == Prompts.load(sources=BY_NAME).hash


def test_a_family_in_a_module_takes_settings_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "from mabench.families import FAMILIES\nMINE = FAMILIES['ruler']\n"
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
    monkeypatch.setattr("mabench.data.sources.units._SECONDS", 0.2)
    unit = "(?:a|aa)" * 30 + "[bc]"
    sources = {NAME: {"family": "answer", "unit": unit}}
    slow = [{**rows(1)[0], "context": "a" * 60}]
    with pytest.raises(DataError, match="takes more than"):
        mabench.run(Echo, slow, sources=sources, out=tmp_path / "run")
    problem, *_ = validate(slow, sources=sources)
    assert (problem.severity, problem.row, problem.field) == ("error", 0, "context")


@pytest.mark.parametrize("like", ["chats", "documents", "facts"])
def test_an_example_is_right_and_a_plain_search_misses_some_of_it(
    like: str, tmp_path: Path
) -> None:
    write_example(tmp_path / "mine", like)
    assert validate(tmp_path / "mine") == []
    data = load(tmp_path / "mine")
    rows = [*data.rows(f"my_{like}")]
    assert len({row.context for row in rows}) == 5
    assert not audit(data).flags
    name = "conversations" if like == "chats" else like
    run = mabench.run("bm25", tmp_path / "mine" / f"{name}.jsonl", out=tmp_path / "run")
    source = run.summary.sources[f"my_{like}"]
    assert source.parts["right"] > 10
    assert source.missed == source.parts["unfound"] > 2
    if like == "chats":
        assert {len({turn.session for turn in row.turns or ()}) for row in rows} == {20}
    else:
        chunks = protocol_named("structured").list_chunks(data)
        assert min(row.chunks for row in chunks) >= 20
    with pytest.raises(UsageError, match="is not an empty folder"):
        write_example(tmp_path / "mine")


MODULE = """
from mabench.data import Row
from mabench.families import AuditCheck, Budget, Family, ProtocolName
from mabench.scoring import Corrected


def without_tickets(record, content, entity_ids):
    if "Ticket" not in content.context:
        yield record.warning("context", "no ticket", "tickets, as Ticket 1: ...")


def shouted(row, catalogue):
    for index, answers in enumerate(row.answers):
        if any(answer.isupper() for answer in answers):
            yield index, f"{answers[0]} is shouted"


def same(case):
    return {"toy_match": float(case.prediction.strip() in case.answers)}


FAMILY = Family(
    name="toy",
    prompts={"memorize": "Note: {chunk}", "answer": "Tickets! {question}"},
    units=lambda context: context.splitlines(keepends=True),
    budgets=dict.fromkeys(ProtocolName, Budget(8, 5)),
    metric="toy_match",
    official=same,
    corrected=lambda case: {"toy_match": Corrected(same(case)["toy_match"], "toy-rule")},
    gold_in_text=lambda answers: True,
    row_checks=(without_tickets,),
    audit_checks=(AuditCheck("toy-shouted", shouted),),
)
NO_FAMILY = 3
"""
TOY = "toy_family:FAMILY"


def declare(family: str, name: str = NAME) -> dict[str, Source]:
    return {name: Source(name, split="Support", family=family)}


class Tickets:
    """Remembers notes, and answers with the last word of the one that holds the question's."""

    def memorize(self, chunk: str) -> None:
        assert chunk.startswith("Note: Ticket")
        self.notes = [*getattr(self, "notes", []), chunk]

    def answer(self, query: Query) -> str:
        assert query == f"Tickets! {query.question}"
        assert query.max_tokens == 5
        about = query.question.split()[-1].rstrip("?")
        return next((note.split()[-1] for note in self.notes if about in note), "nothing")


def three(context: str = "Ticket 1: the pump is red\nTicket 2: the valve is BLUE\n") -> list[Any]:
    """Return one history with three questions, of which the last one has no answer in it."""
    return [
        {
            "context": context,
            "questions": ["Which colour has the pump?", "And the valve?", "And the hose?"],
            "answers": [["red"], ["BLUE"], ["green"]],
            "metadata": {"source": NAME, "qa_pair_ids": ["t1", "t2", "t3"]},
        }
    ]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    (tmp_path / "toy_family.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return load(three(), sources=declare(TOY))


def test_rows_are_cut_checked_and_audited_as_the_family_says(data: Dataset) -> None:
    (row,) = data.rows([NAME])
    assert (row.split, row.index, row.source) == ("Support", 0, NAME)
    (chunks,) = protocol_named("structured").list_chunks(data)
    assert (chunks.chunks, chunks.chunk_tokens) == (2, 8)
    with pytest.raises(UsageError, match=r"'my_support_ticket': did you mean my_support_tickets\?"):
        data.rows(["my_support_ticket"])
    same, other = (load(three(), sources=declare(family)) for family in (TOY, "ruler"))
    assert data.fingerprint == same.fingerprint != other.fingerprint
    (few,) = validate(data)
    assert (few.severity, few.found) == ("warning", f"1 history of {NAME}")
    problem, _ = validate(three("Nothing here."), sources=declare(TOY))
    assert (problem.field, problem.found) == ("context", "no ticket")
    assert any(problem.severity == "error" for problem in validate(three()))
    found = audit(data)
    assert [(flag.question_index, flag.reason) for flag in found.flags] == [(1, "toy-shouted")]
    assert found.counts()["toy-shouted"] == 1
    score = mabench.score_answer(data.sources[NAME], "red", ["red"])
    assert (score.reported, score.rules) == (1, {"toy_match": "toy-rule"})
    assert family_of(NAME, data.sources).ideal(ScoringInput("", ["red"])) == "red"


def test_a_prompts_file_can_replace_its_prompts_and_no_other_has_its_name(
    data: Dataset, tmp_path: Path
) -> None:
    file = tmp_path / "prompts.toml"
    file.write_text('[toy]\nanswer = "Now: {question}"', encoding="utf-8")
    assert Prompts.load(file, data.sources).ask("toy", "Why?") == "Now: Why?"
    with pytest.raises(UsageError, match=r"unknown family 'toy'"):
        Prompts.load(file)
    (tmp_path / "another_family.py").write_text(MODULE, encoding="utf-8")
    more = declare("another_family:FAMILY", "more")
    with pytest.raises(UsageError, match="another family is already named 'toy'"):
        Prompts.load(sources=data.with_sources(more).sources)


def test_a_run_is_told_asked_and_scored_by_the_family(data: Dataset, tmp_path: Path) -> None:
    run = mabench.run(Tickets, data, out=tmp_path / "run")
    assert [sample.prediction for sample in run.samples()] == ["red", "BLUE", "nothing"]
    source = run.summary["sources"][NAME]
    assert (source["metric"], source["n"]) == ("toy_match", 3)
    assert source["official"] == source["corrected"] == pytest.approx(200 / 3)
    there = mabench.run(Tickets, data, out=tmp_path / "there", executor="processes")
    assert list(there.samples()) == list(run.samples())
    with pytest.raises(UsageError, match="another run"):
        mabench.run(Tickets, load(three(), sources=declare("ruler")), out=run.folder)
    # It needs nothing but its folder to be scored and reported.
    folder = run.folder
    record = json.loads((folder / "run.json").read_text("utf-8"))
    assert record["sources"] == {NAME: {"family": TOY, "split": "Support"}}
    assert read_declarations(record["sources"]) == data.sources
    before = {name: (folder / name).read_bytes() for name in ("samples.jsonl", "summary.json")}
    rescore(folder)
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert "toy_match" in print_run(Run(folder))


def test_sources_of_the_inventory_are_declared_by_nobody_and_not_recorded(tmp_path: Path) -> None:
    run = mabench.run("no-memory", limit_questions=1, out=tmp_path / "run")
    assert "sources" not in json.loads((run.folder / "run.json").read_text("utf-8"))
    facts = dataset()
    assert facts.with_sources(BY_NAME).sources == BY_NAME
    assert load(facts, sources=BY_NAME).fingerprint == load(facts).fingerprint


def test_a_family_is_found_as_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = [
        EntryPoint(
            "tickets-of-mine", "mabench.families.benchmark.longmemeval:FAMILY", "mabench.families"
        ),
        EntryPoint("broken", "mabench.nowhere:FAMILY", "mabench.families"),
    ]
    monkeypatch.setattr(registry, "plugins", lambda group: {one.name: one for one in plugins})
    assert family_of(Source(NAME, "Own", "tickets-of-mine")) is FAMILIES["longmemeval"]
    with pytest.raises(UsageError, match=r"broken \(mabench\.nowhere:FAMILY\) cannot be loaded"):
        family_of(Source(NAME, "Own", "broken"))
    with pytest.raises(UsageError, match=r"'rule': did you mean ruler.*tickets-of-mine"):
        family_of(Source(NAME, "Own", "rule"))


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (declare("toy_family:NO_FAMILY"), "is of type int; expected"),
        (declare("toy_family:OTHER"), "a family named OTHER"),
        (declare("nowhere_to_be_found:FAMILY"), "no module named 'nowhere"),
        (
            {NAME: Source("other", "S", "ruler")},
            "'other' is declared under the name 'my_support_tickets'",
        ),
        ({NAME: Source(NAME, "S", "ruler", column="SH-QA")}, "feed a column of the paper"),
        (declare("ruler", "detective_qa"), "a source of the benchmark"),
    ],
)
def test_a_wrong_declaration_is_refused_at_once(
    sources: Mapping[str, Source], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        load(three(), sources=sources)


def test_a_metric_that_is_a_share_has_no_verdict(tmp_path: Path) -> None:
    tickets = folder_of(tmp_path / "tickets", DECLARED.replace("exact_match", "f1"))
    run = mabench.run(Echo, tickets, out=tmp_path / "run")
    source = run.summary.sources[NAME]
    assert (source.metric, source.corrected) == ("f1", None)
    assert print_run(Run(run.folder))
