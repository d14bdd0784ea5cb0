"""Drafted questions count nowhere, unless they are asked for."""

import json
from pathlib import Path

import pytest

import mabench
from mabench.errors import UsageError
from mabench.results import Run
from tests.command_line import mabench as run_command

_LINES = (
    "history,question,answer,supports,status",
    "chat,Which code has the parcel?,K417,chat-2,",
    "chat,Which colour is the kettle?,blue,chat-1,draft",
    "chat,Where is it sent?,,chat-1,draft",  # No answer yet.
    "chat,Who wrote?,Ana,chat-1,rejected",
)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    texts = ("I ordered the blue kettle.", "The parcel has the code K417.")
    turns = [
        {"id": f"chat-{n}", "session": "1", "speaker": "Ana", "text": text}
        for n, text in enumerate(texts, start=1)
    ]
    row = {"context": turns, "questions": [], "answers": [], "metadata": {"source": "own"}}
    (folder / "conversations.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "sources.toml").write_text('[own]\nfamily = "answer"\n')
    (folder / "questions.csv").write_text("\n".join(_LINES) + "\n")
    return folder


def test_drafts_are_rows_of_a_source_of_their_own(own: Path) -> None:
    rows = [*mabench.load(own).rows()]
    assert [row.questions for row in rows] == [["Which code has the parcel?"]]
    rows = [*mabench.load(f"drafts:{own}").rows()]
    assert {row.source: row.questions for row in rows} == {
        "own": ["Which code has the parcel?"],
        "own-drafts": ["Which colour is the kettle?"],
    }
    assert rows[1].evidence == [["chat-1"]]
    with pytest.raises(UsageError, match="holds no conversations of your own"):
        mabench.load(f"drafts:{own.parent}")


def test_reports_count_drafts_only_if_told_to(own: Path, tmp_path: Path) -> None:
    words = ["run", "bm25", "--data", "own", "--set", "k=1", "--drafts", "--out", "run"]
    printed = run_command(*words, cwd=tmp_path)
    assert printed.returncode == 0, printed.stderr
    assert "own-drafts" in printed.stdout
    run = Run(tmp_path / "run")
    assert {name: one.n for name, one in run.summary.sources.items()} == {"own": 1, "own-drafts": 1}
    assert run.without_drafts().summary.sources.keys() == {"own"}
    said = run_command("report", "run", cwd=tmp_path).stdout
    assert "own-drafts: 1 drafted question is left out" in " ".join(said.split())
    told = json.loads(run_command("report", "run", "--format", "json", cwd=tmp_path).stdout)
    assert told["sources"].keys() == {"own"}
    words = ["report", "run", "--drafts", "--format", "json"]
    told = json.loads(run_command(*words, cwd=tmp_path).stdout)
    assert told["sources"].keys() == {"own", "own-drafts"}
    # The history is read again, with its drafts.
    words = ["show", "run", "--source", "own-drafts", "--row", "1", "--question", "0"]
    assert "chunk of the history mentions the gold" in run_command(*words, cwd=tmp_path).stdout
