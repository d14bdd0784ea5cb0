"""Memories are told conversations as they happened, and compared without a right answer."""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mabench.comparison import compare
from mabench.errors import DataError, UsageError
from mabench.observing import AskedOf, Observation, observe
from mabench.page.run_pages import run_page
from mabench.results import Run
from mabench.specs import AgentSpec, InjectionSpec, RunSpec
from tests.command_line import mabench as run_command

TEXTS = [
    ("Ana", "My order is number 7141, the blue kettle."),
    ("Shop", "Thanks, we send it to Oslo on Monday."),
    ("Ana", "I have moved to Bergen, Torggata 5."),
    ("Shop", "The parcel has the code K417 now."),
    ("Ana", "Which code did my parcel have?"),
    ("Shop", "The parcel had the code K417."),
    ("Ana", "Where do you send the kettle to?"),
]


class Newest:
    """Returns the two newest turns."""

    def __init__(self, most: int = 2) -> None:
        self.turns: list[str] = []
        self._most = most

    def add(self, text: str) -> None:
        """Keep a turn."""
        self.turns.append(text)

    def search(self, query: str, k: int) -> list[str]:
        """Return what was said last."""
        return self.turns[-self._most :]


class Oldest(Newest):
    """Returns the two turns before the newest, and the oldest."""

    def search(self, query: str, k: int) -> list[str]:
        """Return what was said first."""
        return [self.turns[-1], self.turns[0]]


class Failing(Newest):
    """Never finds anything."""

    def search(self, query: str, k: int) -> list[str]:
        """Fail."""
        raise OSError("gone")


class Summing(Newest):
    """Returns words of its own."""

    def search(self, query: str, k: int) -> list[str]:
        """Return nothing that was said."""
        return ["A customer wrote several times about goods."]


def write_conversations(folder: Path) -> Path:
    folder.mkdir()
    turns = [
        {"id": f"chat-{n}", "session": "1", "speaker": speaker, "text": text}
        for n, (speaker, text) in enumerate(TEXTS, start=1)
    ]
    row = {"context": turns, "questions": [], "answers": [], "metadata": {"source": "own"}}
    (folder / "conversations.jsonl").write_text(json.dumps(row) + "\n")
    return folder


def _specs(*agents: Callable[..., object] | str) -> list[RunSpec]:
    told = InjectionSpec(protocol="turns")
    return [RunSpec(agent=AgentSpec(agent=agent), injection=told) for agent in agents]


def _observe(
    folder: Path, out: Path, *agents: Any, asked: AskedOf = AskedOf.USERS
) -> tuple[Observation, list[Run]]:
    *runs, observation = observe(folder, _specs(*agents), asked, out)
    assert isinstance(observation, Observation)
    return observation, [run for run in runs if isinstance(run, Run)]


def test_what_users_asked_is_asked_before_they_did(tmp_path: Path) -> None:
    folder = write_conversations(tmp_path / "own")
    found, runs = _observe(folder, tmp_path / "out", Newest, Oldest)
    assert (found.conversations, found.questions) == (1, 2)
    samples = [*runs[0].samples()]
    assert [sample.question for sample in samples] == [TEXTS[4][1], TEXTS[6][1]]
    assert [sample.asked_after for sample in samples] == ["chat-4", "chat-6"]
    newest, oldest = found.runs
    # For the first question 3 and 4 against 4 and 1, for the second 5 and 6 against 6 and 1.
    assert found.pairs[0].overlap == pytest.approx(100 / 3)
    assert found.pairs[0].questions == 2
    assert newest.turns == oldest.turns == 6
    assert newest.never_returned_examples == ("chat-1", "chat-2")
    assert oldest.never_returned_examples == ("chat-2", "chat-3", "chat-5")
    assert newest.evidence_recall is None
    assert newest.unquoted == 0
    assert newest.tokens_shown
    assert newest.add_seconds is not None


def test_runs_are_ordinary_ones_without_a_score(tmp_path: Path) -> None:
    _, runs = _observe(write_conversations(tmp_path / "own"), tmp_path / "out", Newest, "bm25")
    for run in runs:
        (source,) = Run(run.folder).summary.sources.values()
        assert (source.n, source.errors, source.official, source.corrected) == (2, 0, None, None)
        assert (source.needs, source.parts["unclear"]) == ("golds", 2)
        assert "observed" in run_page(run)


def test_runs_without_a_score_are_not_compared(tmp_path: Path) -> None:
    _, runs = _observe(write_conversations(tmp_path / "own"), tmp_path / "out", Failing, "bm25")
    (source,) = runs[0].summary.sources.values()
    assert (source.errors, source.official) == (2, None), "a failure is no score either"
    with pytest.raises(UsageError, match="nobody said which answers are right"):
        compare(runs)


def test_evidence_counts_where_the_sheet_names_supports(tmp_path: Path) -> None:
    folder = write_conversations(tmp_path / "own")
    lines = [
        "history,question,answer,supports,status",
        f"chat,{TEXTS[4][1]},K417,chat-4,",
        f"chat,{TEXTS[6][1]},Bergen,chat-3,draft",
        "chat,Which colour is the kettle?,blue,chat-1,",
    ]
    (folder / "questions.csv").write_text("\n".join(lines) + "\n")
    found, _ = _observe(folder, tmp_path / "users", Newest, Oldest)
    assert [run.evidence_recall for run in found.runs] == [100, 100]  # The draft does not count.
    found, _ = _observe(folder, tmp_path / "sheet", Newest, Oldest, asked=AskedOf.SHEET)
    assert found.questions == 2
    assert [run.evidence_recall for run in found.runs] == [0, 50]


def test_of_words_of_its_own_nothing_is_said(tmp_path: Path) -> None:
    found, _ = _observe(write_conversations(tmp_path / "own"), tmp_path / "out", Newest, Summing)
    summing = found.runs[1]
    assert (summing.unquoted, summing.never_returned) == (100, None)
    assert found.pairs[0].overlap is None


def test_nothing_may_be_asked(tmp_path: Path) -> None:
    folder = write_conversations(tmp_path / "own")
    found, runs = _observe(folder, tmp_path / "out", Newest, Oldest, asked=AskedOf.NOBODY)
    assert found.questions == 0
    assert [sample.question for sample in runs[0].samples()] == [TEXTS[-1][1]]


def test_observing_again_tells_nothing_twice(tmp_path: Path) -> None:
    folder = write_conversations(tmp_path / "own")
    first, runs = _observe(folder, tmp_path / "out", Newest, Oldest)
    lines = [(run.folder / "samples.jsonl").read_bytes() for run in runs]
    again, runs = _observe(folder, tmp_path / "out", Newest, Oldest)
    assert again == first
    assert [(run.folder / "samples.jsonl").read_bytes() for run in runs] == lines


def test_wrong_use_is_refused_before_anything_is_told(tmp_path: Path) -> None:
    folder, out = write_conversations(tmp_path / "own"), tmp_path / "out"
    with pytest.raises(UsageError, match="at least two agents"):
        _observe(folder, out, Newest)
    with pytest.raises(UsageError, match="given twice"):
        _observe(folder, out, "bm25", "bm25")
    with pytest.raises(UsageError, match="holds no conversations"):
        _observe(tmp_path / "none", out, "bm25", Newest)
    with pytest.raises(UsageError, match="no accepted questions"):
        _observe(folder, out, "bm25", Newest, asked=AskedOf.SHEET)
    with pytest.raises(UsageError, match="holds other things"):
        _observe(folder, folder, "bm25", Newest)
    assert not out.exists()
    (folder / "conversations.jsonl").write_text('{"context": 7}\n')
    with pytest.raises(DataError, match=r"conversations\.jsonl, line 1: no conversation"):
        _observe(folder, out, "bm25", Newest)


def test_nothing_leaves_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = socket.socket.__init__

    def local_alone(self: socket.socket, family: int = -1, *rest: Any, **named: Any) -> None:
        # Event loops wake themselves by a pair of local sockets.
        assert family == socket.AF_UNIX, "a socket was opened"
        made(self, family, *rest, **named)

    monkeypatch.setattr(socket.socket, "__init__", local_alone)
    monkeypatch.setattr(socket, "getaddrinfo", None)
    found, _ = _observe(write_conversations(tmp_path / "own"), tmp_path / "out", "bm25", Newest)
    assert found.runs[0].failed == 0


def test_the_command_begins_with_what_came_out(tmp_path: Path) -> None:
    write_conversations(tmp_path / "own")
    words = ["observe", "own", "bm25", "no-memory", "--set", "k=2"]
    done = run_command(*words, "--full", cwd=tmp_path)
    assert done.returncode == 2, "no-memory takes no k"
    words = ["observe", "own", "bm25", "bm25[k=2]", "--out", "out"]
    done = run_command(*words, "--full", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert said.startswith("bm25 and bm25[k=2] were told 1 conversation and asked 2 questions")
    assert "Nobody said which answers are right" in said
    told = json.loads(run_command(*words, "--format", "json", cwd=tmp_path).stdout)
    assert [run["agent"] for run in told["runs"]] == ["bm25", "bm25[k=2]"]
    shown = run_command("report", "out/bm25", cwd=tmp_path)
    assert "is not scored: nobody said which answers are right" in " ".join(shown.stdout.split())


def test_a_report_of_own_data_begins_with_the_evidence(tmp_path: Path) -> None:
    folder = write_conversations(tmp_path / "own")
    (folder / "sources.toml").write_text('[own]\nfamily = "answer"\n')
    lines = [
        "history,question,answer,supports",
        "chat,Which code has the parcel?,K417,chat-4",
        "chat,Which colour is the kettle?,blue,chat-1",
    ]
    (folder / "questions.csv").write_text("\n".join(lines) + "\n")
    run_command("run", "bm25", "--data", "own", "--set", "k=1", "--out", "run", cwd=tmp_path)
    said = " ".join(run_command("report", "run", cwd=tmp_path).stdout.split())
    begin = "bm25[k=1] retrieved 50 % of what the answers to 2 questions of own rest on: "
    assert said.startswith(begin)
