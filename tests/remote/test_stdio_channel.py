import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from typer.testing import CliRunner

import mabench
from mabench.cli.app import app
from mabench.cli.console import in_options
from mabench.data import Dataset
from mabench.errors import UsageError
from mabench.lookup import resolve
from mabench.models import ModelSpec, ReadingModel
from mabench.remote.variables import choose_variables
from mabench.results import RetrievedPassage, Run
from mabench.specs import AgentSpec, Limits
from tests import parts
from tests.remote import worker_agents
from tests.remote.mcp_serving import SERVER, needs_mcp, write_map
from tests.rows import dataset, row, two_rows

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


def test_a_memory_elsewhere_gives_the_samples_of_the_same_memory_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, sources = "synthetic:small", ["ruler_qa1_197K", "factconsolidation_sh_6k"]
    python = Path(sys.executable)  # It is found by its name.
    monkeypatch.setenv("PATH", str(python.parent))
    out = tmp_path / "there"
    done = parts.run(f"{HERE}:Words", data, out=out, sources=sources, python=python.name)
    there = [*done.samples()]
    here = mabench.run(worker_agents.Words, data, out=tmp_path / "here", sources=sources)
    assert there == [*here.samples()]
    assert any(sample.retrieved for sample in there)


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
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    data = rows(["Which gate is green?"])
    for name in ("one", "two"):
        run(f"{HERE}:Words", data, tmp_path / name, keep_memories=True)
    line = (tmp_path / "two" / "memories.jsonl").read_text("utf-8")
    assert '"chunks"' not in line
    assert not [*tmp_path.glob("mabench-*")], "copies are gone"
    one, two = (list(Run(tmp_path / name).samples()) for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("die", "ended with exit code 9; it said: these were my last words"),
        ("garbage", "sent an invalid reply: b'this is no JSON"),
        ("hang", "TimeoutError: no result within 2 s"),
        ("raise", "RemoteError: ValueError: I cannot know that"),
    ],
)
def test_a_broken_worker_costs_its_row_and_an_exception_its_question_alone(
    tmp_path: Path, question: str, said: str
) -> None:
    data, limits = rows(["a", question, "b"], ["c", "d"]), Limits(answer_seconds=2.0)
    one, broken, after, *other = run(f"{HERE}:Fragile", data, tmp_path, limits=limits).samples()
    assert said in (broken.error or "")
    raised = question == "raise"
    assert ("worker_agents.py" in (broken.traceback or "")) == raised, "where it was raised"
    assert (one.prediction, after.prediction) == ("fine", "fine" if raised else None)
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
        resolve(AgentSpec(agent=f"stdio:sh -c 'cat {tmp_path}/said.txt >&2; exit 1'")).make_agent()
    assert f"exit code 1; it said: {line} | ... | " in str(refused.value)
    assert str(refused.value).endswith("} | Node.js v20.11.0")


def test_a_worker_that_dies_when_told_or_starts_not_again_fails_its_row(tmp_path: Path) -> None:
    data = rows(["a"], ["b"])
    [first, second] = data.rows()
    broken = first.model_copy(update={"context": "0. die while told\n1. x"})
    told = run(f"{HERE}:Fragile", dataset([broken, second]), tmp_path / "run")
    settings = {"marker": str(tmp_path / "started")}
    once = run(f"{HERE}:StartsOnce", data, tmp_path / "once", settings=settings)
    failed, fine = told.samples()
    fine_too, not_made = once.samples()
    assert "memorizing failed: RemoteError: python ended with exit code 3" in (failed.error or "")
    assert "StartsOnce cannot be used: python ended with exit code 4" in (not_made.error or "")
    assert (fine.prediction, fine_too.prediction) == ("fine", "fine")


def test_a_factory_is_told_of_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("aiohttp")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key-1234")
    monkeypatch.setattr(ReadingModel, "preflight", AsyncMock())
    choice = ModelSpec("openai/tiny", base_url="http://127.0.0.1:9/v1")
    [sample] = run(f"{HERE}:NeedsModel", rows(["a"]), tmp_path, model=choice).samples()
    # The meter's address, which stands for the server's and its key.
    meter = r"tiny at http://127\.0\.0\.1:\d+/sk-mabench-[\w-]+/v1/?"
    assert re.fullmatch(meter, sample.prediction or "")
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"sk-not" in content for content in files)


@pytest.mark.parametrize(
    ("agent", "python", "message"),
    [
        (f"{HERE}:Neither", sys.executable, "neither an agent .* nor a memory"),
        (f"{HERE}:Missing", sys.executable, "Missing"),
        (f"{HERE}:Lacks", sys.executable, "cannot be used: ImportError: pydantic 0 is needed"),
        (f"{HERE}:Lacks", None, "Lacks cannot be created: pydantic 0 is needed"),
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


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_the_example_in_javascript_answers_as_the_same_memory_in_python(tmp_path: Path) -> None:
    data = rows(["Which gate is green?"], ["Is row 1 known?"])
    program = f"stdio:node '{EXAMPLES / 'stdio_agent.js'}'"
    done = mabench.run(program, data, out=tmp_path / "run")
    first, second = done.samples()
    assert [first.error, second.error] == [None, None]
    assert first.retrieved[0].score == 3.0
    assert len(second.retrieved) == 1


TELLS = f"{worker_agents.__file__}:Tells"
KEY = "sk-of-mine-0123456789"
ONE_ROW = dataset(two_rows()[:1])  # Each row starts a program.


@pytest.fixture
def _variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MABENCH_REAL_DATA", "/where/the/rows/are")
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@proxy")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("GREETING", "good day")
    monkeypatch.delenv("MISSING", raising=False)


def told(out: Path, agent: str, **more: Any) -> Any:
    sample = next(parts.run(agent, ONE_ROW, out=out, limit_questions=1, **more).samples())
    assert sample.prediction, sample.error
    return json.loads(sample.prediction)


@pytest.mark.usefixtures("_variables")
@pytest.mark.parametrize("how", ["interpreter", "program"])
def test_a_program_sees_what_it_is_given_and_nothing_that_leads_to_the_run(
    tmp_path: Path, how: str
) -> None:
    agent, more = TELLS, {"python": sys.executable}
    if how == "program":
        agent = f"stdio:{shlex.join([sys.executable, TELLS.removesuffix(':Tells'), 'tells'])}"
        more = {}
    bare = told(tmp_path / "bare", agent, keep_memories=False, **more)
    seen = bare["environment"]
    assert set(seen) <= {*choose_variables()}, seen
    assert not [one for one in seen if "KEY" in one or one.startswith(("MABENCH", "PYTHONPATH"))]
    assert (seen["PATH"], seen["LC_ALL"]) == (os.environ["PATH"], "C.UTF-8")
    for place in (*bare["arguments"], *bare["descriptors"], *bare["folders"]):
        assert str(tmp_path) not in place
    assert bare["saved"] == (how == "interpreter")
    assert not any(map(os.path.exists, bare["folders"])), "what it saved in is gone"
    assert bare["cwd"] == str(Path.cwd())  # Where the user is, so that relative names mean that.
    given = told(tmp_path / "given", agent, env=["OPENAI_API_KEY", "GREETING"], **more)
    assert given["environment"]["GREETING"] == "good day"
    assert {*given["environment"]} - {*seen} == {"OPENAI_API_KEY", "GREETING"}


@pytest.mark.usefixtures("_variables")
def test_a_variable_is_named_where_it_is_not_set_and_no_value_is_kept(tmp_path: Path) -> None:
    for agent, python in ((TELLS, sys.executable), ("stdio:cat", None)):
        with pytest.raises(UsageError, match=r"^MISSING is not set") as raised:
            parts.run(agent, ONE_ROW, out=tmp_path, python=python, env=["MISSING"])
        assert raised.value.parameter == "env"
    with pytest.raises(UsageError, match="names alone"):
        choose_variables(["GREETING=hello"])
    out = tmp_path / "run"
    greets = TELLS.replace("Tells", "Needs")
    for name in ("Key", "Nothing"):
        with pytest.raises(UsageError):
            parts.run(greets + name, ONE_ROW, out=out, python=sys.executable, env="GREETING")
    words = TELLS.replace("Tells", "Words")
    parts.run(words, ONE_ROW, out=tmp_path / "w", python=sys.executable, env="GREETING")
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert all(b"good day" not in file.read_bytes() for file in files)


@pytest.mark.usefixtures("_variables")
@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("bm25", "processes of their own"),
        ("http://127.0.0.1:9", "processes of their own"),
        pytest.param("mcp:http://127.0.0.1:9/mcp", "started by a command", marks=needs_mcp),
    ],
)
def test_an_agent_here_or_on_a_server_takes_none(tmp_path: Path, agent: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parts.run(agent, ONE_ROW, out=tmp_path, env=["GREETING"])


@pytest.mark.usefixtures("_variables")
@pytest.mark.parametrize(
    ("factory", "hint"),
    [
        ("NeedsKey", "OPENAI_API_KEY is set here but was not passed on: name it with --env"),
        ("Broken", "should it need .*OPENAI_API_KEY.*: it was not passed on"),
    ],
)
def test_one_that_fails_at_its_start_is_told_of_what_was_withheld(
    tmp_path: Path, factory: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in os.environ if "TOKEN" in one or "SECRET" in one]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    words = ["run", TELLS.replace("Tells", factory), "--python", sys.executable]
    failed = CliRunner().invoke(app, words)
    assert re.search(hint, in_options(str(failed.exception)))
    given = CliRunner().invoke(
        app,
        [
            *words,
            "--env",
            "OPENAI_API_KEY",
            "--data",
            "synthetic:small",
            "--source",
            "factconsolidation_sh_6k",
        ],
    )
    assert (given.exit_code == 0) == (factory == "NeedsKey")


@pytest.mark.usefixtures("_variables")
@needs_mcp
def test_an_mcp_server_sees_what_it_is_given_and_where_its_calls_are_metered(
    tmp_path: Path,
) -> None:
    def seen(name: str, **more: Any) -> dict[str, str]:
        out, mapping = tmp_path / name, write_map(tmp_path)
        agent = f"mcp:{SERVER} -"
        run = parts.run(agent, ONE_ROW, out=out, mcp_map=mapping, limit_questions=1, **more)
        return dict(json.loads(next(run.samples()).retrieved[0].text or "{}"))

    assert {*seen("bare")} - {*choose_variables()} == {"OF_THE_MAP"}
    given = seen("given", env=["GREETING"], meter="http://127.0.0.1:9/v1")
    metered = {"OPENAI_BASE_URL", "OPENAI_API_KEY"}
    assert {*given} - {*choose_variables()} == {"OF_THE_MAP", "GREETING", *metered}
    assert re.fullmatch(r"http://127\.0\.0\.1:.*/v1", given["OPENAI_BASE_URL"])
    assert KEY not in given.values()
