import json
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.audit import audit
from mabench.contract import Query
from mabench.data import BY_NAME, Dataset, Source, read_declarations
from mabench.errors import UsageError
from mabench.families import Prompts, ScoringInput, family_named, family_of, registry
from mabench.injection import protocol_named
from mabench.loading import load, validate
from mabench.results import Run, rescore, score_files
from tests.printing import print_run
from tests.rows import dataset

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
NAME = "my_tickets"
TOY = "toy_family:FAMILY"


def declare(family: str, name: str = NAME) -> dict[str, Source]:
    return {name: Source(name, split="Support", family=family)}


class Tickets:
    """Remembers notes, and answers with the last word of the one that holds the question's."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def memorize(self, chunk: str) -> None:
        assert chunk.startswith("Note: Ticket")
        self.notes.append(chunk)

    def answer(self, query: Query) -> str:
        assert query == f"Tickets! {query.question}"
        assert query.max_tokens == 5
        about = query.question.split()[-1].rstrip("?")
        return next((note.split()[-1] for note in self.notes if about in note), "nothing")


def rows(context: str = "Ticket 1: the pump is red\nTicket 2: the valve is BLUE\n") -> list[Any]:
    """One history with three questions, of which the last one has no answer in it."""
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
    return load(rows(), sources=declare(TOY))


def test_rows_are_read_and_cut_as_the_family_says(data: Dataset) -> None:
    (row,) = data.rows([NAME])
    assert (row.split, row.index, row.source) == ("Support", 0, NAME)
    (chunks,) = protocol_named("structured").list_chunks(data)
    assert (chunks.chunks, chunks.chunk_tokens) == (2, 8)
    with pytest.raises(UsageError, match=r"'my_ticket': did you mean my_tickets\?"):
        data.rows(["my_ticket"])
    same = load(rows(), sources=declare(TOY))
    other = load(rows(), sources=declare("ruler"))
    assert data.fingerprint == same.fingerprint != other.fingerprint


def test_validation_and_audit_make_the_checks_of_the_family(data: Dataset) -> None:
    (few,) = validate(data)
    assert (few.severity, few.found) == ("warning", f"1 history of {NAME}")
    problem, _ = validate(rows("Nothing here."), sources=declare(TOY))
    assert (problem.field, problem.found) == ("context", "no ticket")
    assert any(problem.severity == "error" for problem in validate(rows()))
    found = audit(data)
    assert [(flag.question_index, flag.reason) for flag in found.flags] == [(1, "toy-shouted")]
    assert found.counts()["toy-shouted"] == 1


def test_one_prediction_or_a_file_is_scored_by_the_family(data: Dataset, tmp_path: Path) -> None:
    score = mabench.score_answer(data.sources[NAME], "red", ["red"])
    assert (score.reported, score.rules) == (1, {"toy_match": "toy-rule"})
    assert family_of(NAME, data.sources).ideal(ScoringInput("", ["red"])) == "red"
    file = tmp_path / "predictions.jsonl"
    lines = [{"qa_pair_id": f"t{n}", "prediction": "red"} for n in (1, 2, 3)]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    summary = score_files([file], data)
    assert summary["sources"][NAME]["official"] == pytest.approx(100 / 3)


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
        mabench.run(Tickets, load(rows(), sources=declare("ruler")), out=run.folder)


def test_a_run_needs_nothing_but_its_folder_to_be_scored_and_reported(
    data: Dataset, tmp_path: Path
) -> None:
    folder = mabench.run(Tickets, data, out=tmp_path / "run").folder
    record = json.loads((folder / "run.json").read_text("utf-8"))
    assert record["sources"] == {NAME: {"family": TOY, "split": "Support"}}
    assert read_declarations(record["sources"]) == data.sources
    before = {name: (folder / name).read_bytes() for name in ("samples.jsonl", "summary.json")}
    rescore(folder)
    assert {name: (folder / name).read_bytes() for name in before} == before
    printed, stored = (
        json.loads(text, parse_float=lambda digits: f"{float(digits):.12g}")
        for text in (print_run(Run(folder), "json"), before["summary.json"])
    )
    assert printed == stored


def test_sources_of_the_inventory_are_declared_by_nobody_and_not_recorded(tmp_path: Path) -> None:
    run = mabench.run("no-memory", limit_questions=1, out=tmp_path / "run")
    assert "sources" not in json.loads((run.folder / "run.json").read_text("utf-8"))
    facts = dataset()
    assert facts.with_sources(BY_NAME).sources == BY_NAME
    assert load(facts, sources=BY_NAME).fingerprint == load(facts).fingerprint


def test_a_family_is_found_as_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = [
        EntryPoint("tickets-of-mine", "mabench.families.ruler:FAMILY", "mabench.families"),
        EntryPoint("broken", "mabench.nowhere:FAMILY", "mabench.families"),
    ]
    monkeypatch.setattr(registry, "plugins", lambda group: {one.name: one for one in plugins})
    assert family_named("tickets-of-mine") is family_named("ruler")
    with pytest.raises(UsageError, match=r"broken \(mabench\.nowhere:FAMILY\) cannot be loaded"):
        family_named("broken")
    with pytest.raises(UsageError, match=r"'rule': did you mean ruler.*tickets-of-mine"):
        family_named("rule")


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (declare("toy_family:NO_FAMILY"), "is of type int; expected"),
        (declare("toy_family:OTHER"), "a family named OTHER"),
        (declare("nowhere_to_be_found:FAMILY"), "no module named 'nowhere"),
        ({NAME: Source("other", "S", "ruler")}, "'other' is declared under the name 'my_tickets'"),
        ({NAME: Source(NAME, "S", "ruler", column="SH-QA")}, "feed a column of the paper"),
        (declare("ruler", "detective_qa"), "a source of the benchmark"),
    ],
)
def test_a_wrong_declaration_is_refused_at_once(
    sources: Mapping[str, Source], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        load(rows(), sources=sources)
