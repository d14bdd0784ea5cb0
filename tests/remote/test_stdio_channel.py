import re
import shutil
import sys
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

import mabench
from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.lookup import resolve
from mabench.models import ModelSpec, ReadingModel
from mabench.results import RetrievedPassage, Run
from mabench.specs import Limits
from tests import parts
from tests.remote import worker_agents
from tests.rows import dataset, row
from tests.systems.environment import make_interpreter

HERE = "tests.remote.worker_agents"
EXAMPLES = Path(__file__).parents[2] / "examples"


def rows(*questions: list[str]) -> Dataset:
    """Make a row for each list of questions; the gold is always ``fine``."""
    made = []
    for index, asked in enumerate(questions):
        text = f"0. The gate of row {index} is green.\n1. Nothing else is known."
        pairs = [(question, ["fine"]) for question in asked]
        made.append(row("factconsolidation_sh_6k", text, pairs, index))
    return dataset(made)


def run(agent: str, data: Dataset | str, out: Path, **more: object) -> Run:
    return parts.run(agent, data, out=out, python=sys.executable, **more)


def test_a_memory_elsewhere_gives_the_samples_of_the_same_memory_here(tmp_path: Path) -> None:
    data, sources = "synthetic:small", ["ruler_qa1_197K", "factconsolidation_sh_6k"]
    there = [*run(f"{HERE}:Words", data, tmp_path / "there", sources=sources).samples()]
    here = mabench.run(worker_agents.Words, data, out=tmp_path / "here", sources=sources)
    assert there == [*here.samples()]
    assert any(sample.retrieved for sample in there)


def test_settings_reach_the_other_side_and_the_name(tmp_path: Path) -> None:
    done = run(f"{HERE}:Words", rows(["Which gate?"]), tmp_path, settings={"order": -1, "k": 1})
    [sample] = done.samples()
    assert len(sample.retrieved) == 1
    assert done.summary["agent"] == f"{HERE}:Words[k=1,order=-1]"


def test_an_async_agent_sees_the_whole_query(tmp_path: Path) -> None:
    [sample] = run(f"{HERE}:Echo", rows(["Which gate is green?"]), tmp_path).samples()
    prompt, question, search, budget, chunk = (sample.prediction or "").rsplit("|", 4)
    assert question == "Which gate is green?"
    assert question in prompt
    assert search
    assert (budget, chunk[-25:]) == ("10", "1. Nothing else is known.")
    assert (sample.retrieved, sample.input_tokens) == ([RetrievedPassage(chunk=0)], 7)


def test_a_memory_elsewhere_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    data = rows(["Which gate is green?"])
    for name in ("one", "two"):
        run(f"{HERE}:Words", data, tmp_path / name, keep_memories=True)
    line = (tmp_path / "two" / "memories.jsonl").read_text("utf-8")
    assert '"chunks"' not in line
    one, two = (list(Run(tmp_path / name).samples()) for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("die", "ended with exit code 9; it said: these were my last words"),
        ("garbage", "sent an invalid reply: b'this is no JSON"),
        ("hang", "TimeoutError: no result within 2 s"),
    ],
)
def test_a_broken_worker_costs_its_row_only(tmp_path: Path, question: str, said: str) -> None:
    data, limits = rows(["a", question, "b"], ["c", "d"]), Limits(answer_seconds=2.0)
    one, broken, after, *other = run(f"{HERE}:Fragile", data, tmp_path, limits=limits).samples()
    assert said in (broken.error or "")
    assert (one.prediction, after.prediction) == ("fine", None)
    assert [sample.prediction for sample in other] == ["fine", "fine"]


@pytest.mark.parametrize(
    "line",
    [
        "Error: Cannot find module '/home/ann/agent.js'",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'memory' imported from /home/ann/a.js",
        'Exception in thread "main" java.lang.NoClassDefFoundError: memory/Store',
        "agent.rb:1:in `require': cannot load such file -- memory (LoadError)",
        "panic: runtime error: index out of range [3] with length 3",
    ],
)
def test_a_program_that_does_not_start_says_what_is_wrong(tmp_path: Path, line: str) -> None:
    frames = [f"    at Module.load{i} (node:internal/errors:{i})" for i in range(200)]
    said = ["node:internal/modules/cjs/loader:1228", "  throw err;", "", line, *frames]
    said += ["  code: 'MODULE_NOT_FOUND',", "}", "", "Node.js v20.11.0"]
    (tmp_path / "said.txt").write_text("\n".join(said))
    with pytest.raises(UsageError) as refused:
        resolve(f"stdio:sh -c 'cat {tmp_path}/said.txt >&2; exit 1'").make_agent()
    assert f"exit code 1; it said: {line} | ... | " in str(refused.value)
    assert str(refused.value).endswith("} | Node.js v20.11.0")


def test_a_worker_that_dies_when_told_or_starts_not_again_fails_its_row(tmp_path: Path) -> None:
    data = rows(["a"], ["b"])
    [first, second] = data.rows()
    broken = first.model_copy(update={"context": "0. die while told\n1. x"})
    told = run(f"{HERE}:Fragile", dataset([broken, second]), tmp_path / "run")
    settings = {"marker": str(tmp_path / "started")}
    once = run(f"{HERE}:StartsOnce", data, tmp_path / "once", settings=settings)
    for (failed, fine), code in ((told.samples(), 3), (reversed([*once.samples()]), 4)):
        assert "memorizing failed: RemoteError" in (failed.error or "")
        assert f"exit code {code}" in (failed.error or "")
        assert fine.prediction == "fine"


def test_an_exception_tells_its_kind_and_where_it_was_raised(tmp_path: Path) -> None:
    raised, after = run(f"{HERE}:Fragile", rows(["raise", "a"]), tmp_path).samples()
    assert raised.error == "RemoteError: ValueError: I cannot know that"
    assert "worker_agents.py" in (raised.traceback or "")
    assert after.prediction == "fine"


def test_dependencies_that_conflict_with_ours_do_no_harm(tmp_path: Path) -> None:
    python = make_interpreter(tmp_path / "venv", {"pydantic.py": "VERSION = '0.32'\n"})
    script = f"{worker_agents.__file__}:Dated"
    [sample] = parts.run(script, rows(["a"]), out=tmp_path / "run", python=python).samples()
    assert sample.prediction == "0.32"
    with pytest.raises(UsageError, match="pydantic 0 is needed"):
        mabench.run(f"{HERE}:Dated", rows(["a"]), out=tmp_path / "here")


def test_a_factory_is_told_of_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("aiohttp")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key-1234")
    monkeypatch.setattr(ReadingModel, "preflight", AsyncMock())
    choice = ModelSpec("openai/tiny", base_url="http://127.0.0.1:9/v1")
    for python in (sys.executable, None):
        out = tmp_path / str(bool(python))
        done = parts.run(f"{HERE}:NeedsModel", rows(["a"]), out=out, model=choice, python=python)
        [sample] = done.samples()
        # The meter's address, which stands for the server's and its key.
        meter = r"tiny at http://127\.0\.0\.1:\d+/sk-mabench-[\w-]+/v1/?"
        assert re.fullmatch(meter, sample.prediction or "")
        assert all(b"sk-not" not in path.read_bytes() for path in out.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("agent", "python", "message"),
    [
        (f"{HERE}:Neither", sys.executable, "neither an agent .* nor a memory"),
        (f"{HERE}:Missing", sys.executable, "Missing"),
        ("no.such.module:Agent", sys.executable, "No module named 'no'"),
        ("nothing-of-that-name", sys.executable, "no plugin named nothing-of-that-name"),
        (f"{HERE}:Words", "/no/such/python", "no interpreter /no/such/python"),
        ("stdio:no-such-program --x", None, "no program no-such-program here"),
        ("stdio:", None, "names no program"),
        ("stdio:'", None, "No closing quotation"),
        ("stdio:true", None, "true ended with exit code 0"),
        ("stdio:cat", None, 'cat cannot be used: it replied to make with null; expected {"kind": '),
        ("stdio:x", sys.executable, "`python` is for Python agents"),
        (worker_agents.Words, sys.executable, r"is named, as package\.module:factory"),
    ],
)
def test_no_start_says_why(tmp_path: Path, agent: Any, python: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parts.run(agent, rows(["a"]), out=tmp_path, python=python)


def test_an_interpreter_is_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path(sys.executable)
    monkeypatch.setenv("PATH", str(here.parent))
    done = parts.run(f"{HERE}:Words", rows(["a"]), out=tmp_path / "run", python=here.name)
    assert [sample.error for sample in done.samples()] == [None]


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_the_example_in_javascript_answers_as_the_same_memory_in_python(tmp_path: Path) -> None:
    data = rows(["Which gate is green?"], ["Is row 1 known?"])
    program = f"stdio:node '{EXAMPLES / 'stdio_agent.js'}'"
    done = mabench.run(program, data, out=tmp_path / "run")
    first, second = done.samples()
    assert [first.error, second.error] == [None, None]
    assert first.retrieved[0].score == 3.0
    assert len(second.retrieved) == 1
