"""What reaches an agent, and what comes back: no evidence, nothing that is later, any letters."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest

import mabench
from mabench.contract import Query
from mabench.data import Dataset, Metadata, Row, Turn
from mabench.data.evidence import Evidence
from mabench.errors import UsageError
from mabench.inspection import look_up
from mabench.models import ModelSpec
from mabench.results import Run, judge, rescore, score_files
from mabench.runs import RunStoppedError
from mabench.specs import AgentSpec, InjectionSpec, JudgeSpec, Limits
from tests import parts
from tests.command_line import succeed
from tests.models.server import serving as serving_a_model
from tests.models.server import serving as serving_model
from tests.printing import markdown
from tests.remote import worker_agents
from tests.remote.http_serving import serving
from tests.rows import dataset, row, two_rows, write_rows
from tests.runs import seeing
from tests.runs.agents import Notes, Oslo, Shelf, async_like, like
from tests.runs.seeing import Sees
from tests.talks import SAID, talk, talks, turns

POINTS = ["t2", None, "2024-05-01", "t0", None]
KNOWN = [3, 4, 1, 1, 4]  # How many turns each of these questions may know.


def asked_between() -> Dataset:
    asked = [(f"What is the code of the door, {n}?", "T555") for n in range(len(POINTS))]
    return talks(talk(turns(), asked, asked_after=POINTS))


class Spy:
    """Finds all that it was told, and says when it was told and asked."""

    calls: ClassVar[list[Any]] = []

    def __init__(self) -> None:
        self.texts: list[str] = []
        Spy.calls.append("new")

    def add(self, text: str) -> None:
        self.texts.append(text)
        Spy.calls.append(text)

    def search(self, query: str, k: int) -> list[str]:
        Spy.calls.append(int(query.partition("?")[0][-1]))
        return [*self.texts]

    def save(self, folder: Path) -> None:
        (folder / "texts").write_text(json.dumps(self.texts), encoding="utf-8")

    def load(self, folder: Path) -> None:
        self.texts = json.loads((folder / "texts").read_text(encoding="utf-8"))
        Spy.calls.append("loaded")


@pytest.fixture(autouse=True)
def _nothing_called() -> None:
    Spy.calls = []


def heard(calls: list[Any]) -> dict[int, int]:
    """Return how many turns were told before each question."""
    known, found = "", {}
    for call in calls:
        if isinstance(call, int):
            found[call] = sum(one in known for one in SAID)
        else:
            known = "" if call == "new" else " ".join([known, *call.split()])
    return found


def test_no_question_knows_a_later_turn_whatever_the_protocol(tmp_path: Path) -> None:
    ways: list[tuple[Any, dict[str, Any]]] = [
        (Spy, {"protocol": "turns"}),
        (Spy, {"protocol": "structured"}),
        (Spy, {"protocol": InjectionSpec(chunk_tokens=6)}),
        (Spy, {"protocol": "turns", "limits": Limits(questions=3)}),
        (async_like(Spy), {"protocol": "turns", "limits": Limits(questions=3)}),
    ]
    for number, (agent, more) in enumerate(ways):
        Spy.calls = []
        run = mabench.run(agent, asked_between(), out=tmp_path / f"{number}", **more)
        assert heard(Spy.calls) == dict(enumerate(KNOWN))
        assert Spy.calls.count("new") == 1
        for sample in run.samples():
            assert sample.asked_after == POINTS[sample.question_index]
            shown = " ".join(passage.text or "" for passage in sample.retrieved)
            chunks = [passage.chunk for passage in sample.retrieved]
            assert None not in chunks or SAID[3] not in shown
        memory = run.store.memories()["Own", 0]
        assert memory.chunks == len([one for one in Spy.calls if isinstance(one, str)]) - 1
    here = Run(tmp_path / "0")
    golds = {sample.question_index: sample.gold_chunks for sample in here.samples()}
    assert golds == {0: (), 1: (3,), 2: (), 3: (), 4: (3,)}, "what was not told yet is no chunk"
    succeed("page", "0", "--out", "page.html", cwd=tmp_path)
    said = succeed("show", "0", "--question", "0", cwd=tmp_path)
    assert "Asked after: t2, before the rest of the history was memorized" in said.stdout
    how: dict[str, Any] = {"protocol": "turns", "executor": "processes", "out": tmp_path / "there"}
    there = mabench.run("tests.runs.test_what_agents_see:Spy", asked_between(), **how)
    assert [*here.samples()] == [*there.samples()]
    assert there.record.takes == here.record.takes is not None


def test_a_memory_is_told_sessions_where_it_says_so(tmp_path: Path) -> None:
    said = turns()
    said[1]["session"] = said[0]["session"]
    data = talks(talk(said, [("What is the code, 0?", "T555")]))
    run = mabench.run(like(Spy, unit="session"), data, protocol="turns", out=tmp_path / "run")
    takes: Any = run.record.takes
    assert takes.unit == "session"
    assert [sum(one in str(call) for one in SAID) for call in Spy.calls] == [0, 2, 1, 1, 0]
    (sample,) = run.samples()
    assert [passage.chunk for passage in sample.retrieved] == [0, 1, 2]
    (question,) = look_up(run, run.questions(), data)  # Which cuts the history again.
    first = question.background.passages[0].text or ""
    assert first.startswith("[1 May 2024, 10:00, house-7] Amal, user: The code of the door is K417")


class Breaking(Spy):
    """Fails at the question after which the run is stopped."""

    at: int | None = 0
    is_ready = False

    def ready(self) -> None:
        self.is_ready = True

    def stats(self) -> dict[str, int]:
        return {"memories": len(self.texts)}

    def search(self, query: str, k: int) -> list[str]:
        assert self.is_ready, "also once it was loaded"
        if self.at is not None and f", {self.at}?" in query:
            raise RuntimeError("gone")
        return super().search(query, k)


@pytest.mark.parametrize("keep", [False, True])
def test_a_run_that_stopped_between_questions_goes_on_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: bool
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    agent = AgentSpec(agent=Breaking, keep_memories=keep)
    how: Any = {"protocol": "turns", "out": tmp_path / "run"}
    with pytest.raises(RunStoppedError):
        mabench.run(agent, asked_between(), **how, limits=Limits(max_errors=1))
    assert heard(Spy.calls) == {2: 1, 3: 1}
    Spy.calls = []
    monkeypatch.setattr(Breaking, "at", None)
    run = mabench.run(agent, asked_between(), **how, retry_errors=True)
    assert Spy.calls[:2] == ["new", "loaded"]
    assert [call for call in Spy.calls if isinstance(call, int)] == [0, 1, 4]
    assert [sum(one in str(call) for call in Spy.calls) for one in SAID] == [0, 0, 0, 1]
    memory = run.store.memories()["Own", 0]
    assert (memory.loaded, memory.chunks, memory.memories) == (True, 4, 4)
    assert run.summary["sources"]["my_talk"]["seconds_answer"] > 0
    assert not keep or [*(tmp_path / "cache").rglob("texts")]
    assert not (tmp_path / "run" / "memories").exists()
    if keep:  # A later run finds what was kept at its first point.
        Spy.calls = []
        mabench.run(agent, asked_between(), protocol="turns", out=tmp_path / "again")
        assert Spy.calls[:2] == ["new", "loaded"]
        assert heard(Spy.calls[2:])[0] == 2


class Keeping(Spy):
    """Is passed the time; what it saves is told apart by that, too."""

    def add(self, text: str, *, time: Any) -> None:  # type: ignore[override]
        super().add(text)


def test_a_kept_memory_is_not_that_of_texts_with_other_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    agent = AgentSpec(agent=Keeping, keep_memories=True)
    later = [{**one, "time": one["time"].replace("05-", "06-")} for one in turns()]
    for number, (said, loads) in enumerate([(turns(), 0), (later, 0), (turns(), 1)]):
        Spy.calls = []
        data = talks(talk(said, [("What is the code, 0?", "T555")]))
        mabench.run(agent, data, protocol="turns", out=tmp_path / f"{number}")
        assert Spy.calls.count("loaded") == loads


class Dated:
    """Knows when each text was said, and finds none that came later than the question."""

    def __init__(self) -> None:
        self.notes: list[tuple[datetime, str]] = []

    def add(self, text: str, *, time: datetime) -> None:
        self.notes.append((time, text))

    def search(self, query: str, k: int, *, time: datetime) -> list[str]:
        known = [text for when, text in self.notes if when <= time and "code" in text]
        return known[-k:]


class Agents(Oslo):
    """An agent that declares what it takes of texts and questions."""

    calls: ClassVar[list[Any]] = []

    def memorize(self, chunk: str, *, time: Any = None, user: Any = None) -> None:
        Agents.calls.append((chunk, time, user))

    def answer(self, query: Query, *, user: Any = None) -> str:
        Agents.calls.append((query.time, query.user, user))
        return "Oslo"


def test_an_agent_and_its_queries_have_times_and_users_under_turns_alone(tmp_path: Path) -> None:
    dates = {"question_dates": ["2024/06/01 (Sat) 10:00"]}
    data = talks(talk(turns(SAID[:1]), [("Who?", "Amal")], asked_by=["house-7"], metadata=dates))
    mabench.run(Agents, data, protocol="turns", out=tmp_path / "turns")
    told, asked = Agents.calls
    when = datetime.fromisoformat("2024-05-01T10:00Z")
    assert told == ("Amal, user: The code of the door is K417.", when, "house-7")
    asked_at = datetime.fromisoformat("2024-06-01T10:00Z")
    assert asked == (asked_at, "house-7", "house-7")
    Agents.calls.clear()
    mabench.run(Agents, data, out=tmp_path / "structured")
    assert Agents.calls == [("The code of the door is K417.", None, None), (None, None, None)]
    assert Run(tmp_path / "structured").record.takes is None


def test_a_run_says_what_was_passed_and_shares_no_folder_with_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A door gets other codes, and it is asked which one it had at the time.
    codes = [f"K{n}7" for n in range(6)]
    messages = turns([f"The code of the door is {code}." for code in codes])
    dates = {"question_dates": [f"2024-05-0{day}T12:00Z" for day in range(1, 7)]}
    data = talks(talk(messages, [("What is the code?", code) for code in codes], metadata=dates))
    run = mabench.run(Dated, data, protocol="turns", out=tmp_path / "run")
    assert run.summary.sources["my_talk"].official == 100, "as each code was at the time"
    takes: Any = run.record.takes
    assert takes.as_dict() == {"unit": "turn", "told": ["time"], "asked": ["time"]}
    said = succeed("report", str(run.folder), cwd=tmp_path)
    assert "natively if the data has it: time with each text, time with each question" in " ".join(
        said.stdout.split()
    )
    (tmp_path / "run" / "samples.jsonl").write_text("", encoding="utf-8")
    # The same code may take something else: a server's, which nobody here can read.
    monkeypatch.setattr(Dated, "search", lambda self, query, k: [])
    with pytest.raises(UsageError, match="holds answers of an agent that was told by turns"):
        mabench.run(Dated, data, protocol="turns", out=tmp_path / "run")


class Taking(Shelf):
    changes = False

    def add(self, text: str, *, time: Any = None, speaker: Any = None) -> None:
        super().add(f"code {text}" if self.changes else text)


@pytest.mark.parametrize(("changes", "found"), [(False, (1, "evidence")), (True, (0, "mention"))])
def test_short_turns_are_found_as_they_were_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: bool, found: tuple[float, str]
) -> None:
    monkeypatch.setattr(Taking, "changes", changes)
    said = turns(["code: Bern.", "code: Oslo."])
    headings = [f"[{one['time'][:10]}] {one['speaker']}: " for one in said]
    row = talk(said, [("Which code?", "Bern")], headings, evidence=[["t0"]])
    run = mabench.run(Taking, talks(row), protocol="turns", out=tmp_path / "run")
    (sample,) = run.samples()
    assert (sample.evidence_recall, sample.hit_by) == found


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
            for sample in parts.run(agent, rows(), out=out, **more).samples():
                assert sample.prediction is not None, sample.error
                yield sample.prediction


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


def chat_row() -> Row:
    """One session with evidence for the first of two questions, none for the other."""
    turns = [
        Turn(role="user", content="What should I cook tonight?", has_answer=False),
        Turn(role="assistant", content="Try a lentil soup with lemon.", has_answer=None),
        Turn(role="user", content=EVIDENCE, has_answer=True),
    ]
    said = [{"role": turn["role"], "content": turn["content"]} for turn in turns]
    context = repr(["Chat Time: 2023/01/01 (Sun) 10:00", said])
    made = row("longmemeval_s*", context, [(f"Question {i}?", ["Pixel"]) for i in range(2)])
    haystack: Any = [[turns], []]
    metadata = Metadata(source=made.source, haystack_sessions=haystack)
    return made.model_copy(update={"metadata": metadata})


def test_evidence_is_found_whole_escaped_or_cut() -> None:
    row = chat_row()
    other = row.model_copy(update={"questions": ["One?"], "answers": [["x"]]})
    for passages, recall in (
        *((found, 1) for found in ([EVIDENCE], [repr(EVIDENCE)], [EVIDENCE.upper()])),
        (["about something else", f"... {EVIDENCE} ..."], 1),
        # Cut between sentences: two of three are enough, one short one is not.
        ([EVIDENCE.partition("My sister")[0]], 1),
        (["She's grey and 3 years old."], 0),
        (["The user has a cat."], 0),
        ([], 0),
    ):
        assert Evidence(row).find(0, passages).evidence_recall == recall
        # A question without a turn of evidence, or without a haystack, does not count.
        assert Evidence(row).find(1, passages).evidence_recall is None
        assert Evidence(other).find(0, passages).evidence_recall is None


FINDS = like(Shelf, search=lambda self, query, k: self.texts if "Question 0?" in query else [])


def test_the_summary_holds_the_share_of_questions_whose_evidence_was_found(tmp_path: Path) -> None:
    row = chat_row()
    haystack: Any = (row.metadata.get("haystack_sessions") or [])[:1] * 2
    metadata = Metadata(source=row.source, haystack_sessions=haystack)
    both = row.model_copy(update={"metadata": metadata})
    for agent, recall in ((FINDS, 50), (Oslo, None)):
        run = mabench.run(agent, dataset([both]), out=tmp_path / f"{recall}")
        assert run.summary["sources"][row.source]["evidence_recall"] == recall


HALF = "\ud83d"
_PAIRS = [("One?", ["one"]), ("Two?", ["two"]), ("Three?", ["three"])]
_CHAT = "['Chat Time: 2023/05/27 (Sat) 22:54', [{'role': 'user', 'content': 'Oslo.'}]]"


class Halves:
    def memorize(self, chunk: str) -> None:
        self.chunk = chunk

    def answer(self, query: Any) -> dict[str, Any]:
        if query.question == "Three?":
            raise ValueError(f"no answer {HALF}")
        passages = [{"text": f"passage {HALF}{self.chunk}", "score": 1e300}]
        return {"text": f"answer {HALF} {query.question}", "retrieved": passages}


def _check(run: Run) -> None:
    """Every file is UTF-8 that any parser reads, and the run is whole by every way to it."""
    for file in run.folder.glob("*.json*"):
        for line in file.read_text("utf-8").splitlines() if file.suffix == ".jsonl" else ():
            json.loads(line)
    assert run.summary.damaged is None
    # Questions may be asked together, and are stored as they end.
    samples = sorted(run.samples(), key=lambda sample: sample.key)
    said = [sample.prediction for sample in samples[:2]]
    assert said == [f"answer {HALF} One?", f"answer {HALF} Two?"]
    assert samples[0].retrieved[0].text is not None
    assert HALF in str(samples[2].error)
    before = (run.folder / "samples.jsonl").read_bytes()
    rescore(run.folder)
    assert (run.folder / "samples.jsonl").read_bytes() == before
    markdown(run).encode()


def answer_with_halves(path: str, body: Any) -> tuple[int, Any]:
    if path == "/reset":
        return 200, {"session": "s", "kind": "agent"}
    if path != "/answer":
        return 200, {}
    if body["question"] == "Three?":
        return 500, {"error": f"no answer {HALF}"}
    return 200, {"text": f"answer {HALF} {body['question']}", "retrieved": [{"text": HALF}]}


def test_answers_passages_and_errors_are_kept_as_they_are_also_from_elsewhere(
    tmp_path: Path,
) -> None:
    data = dataset([row("ruler_qa1_197K", "One, two, three.", _PAIRS)])
    with serving(answer_with_halves) as served:
        ways: list[Any] = [Halves, served.url]
        ways.append(mabench.AgentSpec(agent=f"{__file__}:Halves", python=sys.executable))
        for number, agent in enumerate(ways):
            _check(mabench.run(agent, data, out=tmp_path / f"{number}"))


def test_an_answer_with_a_half_is_judged_and_reported(tmp_path: Path, key_and_cache: Path) -> None:
    chat = row("longmemeval_s*", _CHAT, _PAIRS[:2])
    known = {"question_ids": ["q1", "q2"], "question_types": ["multi-session"] * 2}
    chat = chat.model_copy(update={"metadata": {**chat.metadata, **known}})
    rows = write_rows(tmp_path / "rows.jsonl", [chat])
    run = mabench.run(Halves, str(rows), out=tmp_path / "run")

    def verdict(prompt: str) -> str:
        return "yes" if "\ufffd One?" in prompt else f"{HALF} hm"

    with serving_a_model(verdict) as served:
        spec = JudgeSpec(model=ModelSpec("m", base_url=served.url))
        assert judge(run.folder, spec).failures == 1
        assert judge(run.folder, spec).failures == 1
    failed = (run.folder / "judgments.jsonl").read_text("utf-8").splitlines()[1]
    assert json.loads(failed)["verdict"] is None
    for layout in ("table", "markdown", "json"):
        succeed("report", "run", "--format", layout, cwd=tmp_path)


def test_predictions_of_other_tools_may_hold_halves(tmp_path: Path) -> None:
    source, file = "ruler_qa1_197K", tmp_path / "answers.jsonl"
    data = dataset([row(source, "One, two, three.", _PAIRS[:1])])
    line = {"source": source, "row": 0, "question_index": 0, "prediction": f"one {HALF}"}
    for is_ascii in (True, False):
        text = json.dumps(line, ensure_ascii=is_ascii) + "\n"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        [summary] = score_files([file], data)
        assert summary.sources[source].answered == 1
