"""What questions rest on is found in what was retrieved, and never reaches an agent."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.data import Dataset, Metadata, Row, Turn
from mabench.data.evidence import Evidence
from mabench.models import ModelSpec
from mabench.results import Sample
from tests import parts
from tests.models.server import serving as serving_model
from tests.remote import worker_agents
from tests.remote.http_serving import serving
from tests.rows import dataset, two_rows
from tests.runs import seeing
from tests.runs.agents import Notes, Oslo, Shelf, like
from tests.runs.seeing import Sees

# Stands in no text of the rows: an agent that has it was handed the evidence.
MARK = "d41f7e-evidence"


def marked(row: Row) -> Row:
    """Return a row with turns and evidence, whose names stand in none of its texts."""
    turns = [{"id": f"{MARK}-{n}", "session": "s", "start": n, "end": n + 1} for n in range(20)]
    evidence = [[f"{MARK}-{n}"] for n in range(len(row.questions))]
    return Row.model_validate({**row.model_dump(), "turns": turns, "evidence": evidence})


def rows(change: Callable[[Row], Row] = marked) -> Dataset:
    return dataset([change(row) for row in two_rows()])


def in_person(folder: Path) -> Iterator[str]:
    """Yield what agents of this process, and of another, say that they see."""
    ways: list[tuple[Any, dict[str, Any]]] = [
        (Sees, {}),
        (f"{seeing.__file__}:Sees", {"python": sys.executable, "keep_memories": True}),
    ]
    for agent, more in ways:
        for again in ("first", "loaded"):
            out = folder / f"{len(more)}-{again}"
            yield from (sample.prediction or "" for sample in asked(agent, out, **more))


def asked(agent: Any, out: Path, **more: Any) -> Iterator[Sample]:
    return parts.run(agent, rows(), out=out, **more).samples()


def over_stdio(folder: Path) -> Iterator[str]:
    said = folder / "said"
    program = shlex.join([sys.executable, worker_agents.__file__, "diary"])
    pipe = f"tee -a {shlex.quote(str(said))} | {program}"
    parts.run(f"stdio:{shlex.join(['sh', '-c', pipe])}", rows(), out=folder / "stdio")
    yield said.read_text("utf-8")


def over_http(folder: Path) -> Iterator[str]:
    def respond(path: str, body: Any) -> tuple[int, Any]:
        if path == "/reset":
            return 200, {"session": "1", "kind": "agent"}
        return 200, {"text": "Bern"} if path == "/answer" else {}

    with serving(respond) as served:
        parts.run(served.url, rows(), out=folder / "http")
    yield json.dumps([exchange.body for exchange in served.exchanges])


def prompted(folder: Path) -> Iterator[str]:
    with serving_model(lambda prompt: "Bern") as served:
        model = ModelSpec("openai/gpt-4o-mini", base_url=served.url)
        for prompts in (None, "paper"):
            parts.run("bm25", rows(), out=folder / f"model-{prompts}", model=model, prompts=prompts)
    yield json.dumps(served.requests)


@pytest.mark.usefixtures("key_and_cache")
@pytest.mark.parametrize("way", [in_person, over_stdio, over_http, prompted])
def test_nothing_that_an_agent_can_see_tells_what_a_question_rests_on(
    tmp_path: Path, way: Callable[[Path], Iterator[str]]
) -> None:
    seen = "\n".join(way(tmp_path))
    assert "Where does Ann live?" in seen
    assert "Ann lives in Bern" in seen
    assert MARK not in seen


def test_agents_are_told_and_asked_the_same_with_and_without_evidence(tmp_path: Path) -> None:
    def quoted(row: Row) -> Row:
        texts = [[row.context.splitlines()[-1]] for _ in row.questions]
        return row.model_copy(update={"evidence": texts})

    noted = []
    for name, change in (("bare", lambda row: row), ("marked", marked), ("quoted", quoted)):
        Notes.told, Notes.asked, Notes.queries = [], [], []
        parts.run(Notes, rows(change), out=tmp_path / name)
        noted.append((Notes.told, Notes.asked, Notes.queries))
    assert noted[0] == noted[1] == noted[2]


EVIDENCE = (
    'I adopted a cat named "Pixel" on Monday.\nShe\'s grey and 3 years old. '
    "My sister drove us home from the shelter in the rain."
)


def chat_row(question_count: int = 2) -> Row:
    """One session with evidence for the first question, none for the others."""
    turns = [
        Turn(role="user", content="What should I cook tonight?", has_answer=False),
        Turn(role="assistant", content="Try a lentil soup with lemon.", has_answer=None),
        Turn(role="user", content=EVIDENCE, has_answer=True),
    ]
    said = [{"role": turn["role"], "content": turn["content"]} for turn in turns]
    haystack = [[turns] if i == 0 else [] for i in range(question_count)]
    return Row(
        split="Accurate_Retrieval",
        index=0,
        context=repr(["Chat Time: 2023/01/01 (Sun) 10:00", said]),
        questions=[f"Question {i}?" for i in range(question_count)],
        answers=[["Pixel"]] * question_count,
        metadata=Metadata(source="longmemeval_s*", haystack_sessions=haystack),
    )


@pytest.mark.parametrize(
    ("passages", "recall"),
    [
        ([EVIDENCE], 1),
        (["about something else", f"... {EVIDENCE} ..."], 1),
        ([repr(EVIDENCE)], 1),
        ([EVIDENCE.upper()], 1),
        # Cut between sentences: two of three are enough, one short one is not.
        ([EVIDENCE.partition("My sister")[0]], 1),
        (["She's grey and 3 years old."], 0),
        (["The user has a cat."], 0),
        ([], 0),
    ],
)
def test_evidence_is_found_whole_escaped_or_cut(passages: list[str], recall: float) -> None:
    row = chat_row()
    assert Evidence(row).find(0, passages).evidence_recall == recall
    # A question without a turn of evidence, or without a haystack, does not count.
    assert Evidence(row).find(1, passages).evidence_recall is None
    other = row.model_copy(update={"questions": ["One?"], "answers": [["x"]]})
    assert Evidence(other).find(0, passages).evidence_recall is None


FINDS = like(Shelf, search=lambda self, query, k: self.texts if "Question 0?" in query else [])


@pytest.mark.parametrize(("agent", "recall"), [(FINDS, 50), (Oslo, None)])
def test_the_summary_holds_the_share_of_questions_whose_evidence_was_found(
    tmp_path: Path, agent: type, recall: float | None
) -> None:
    row = chat_row()
    haystack = (row.metadata.get("haystack_sessions") or [])[:1] * 2
    metadata = Metadata(source=row.source, haystack_sessions=haystack)
    both = row.model_copy(update={"metadata": metadata})
    run = mabench.run(agent, dataset([both]), out=tmp_path / "run")
    assert run.summary["sources"]["longmemeval_s*"]["evidence_recall"] == recall
