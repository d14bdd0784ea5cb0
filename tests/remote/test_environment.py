import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mabench.cli.app import app
from mabench.cli.console import in_options
from mabench.errors import UsageError
from mabench.remote.channel import make_environment
from tests import parts
from tests.remote.mcp_serving import SERVER, needs_mcp, write_map
from tests.rows import dataset, two_rows

HERE = Path(__file__).parent
TELLS = f"{HERE / 'worker_agents.py'}:Tells"
KEY = "sk-of-mine-0123456789"
ONE_ROW = dataset(two_rows()[:1])  # Each row starts a program.


@pytest.fixture(autouse=True)
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
    assert set(seen) <= {*make_environment()}, seen
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


def test_a_variable_is_named_where_it_is_not_set_and_no_value_is_kept(tmp_path: Path) -> None:
    for agent, python in ((TELLS, sys.executable), ("stdio:cat", None)):
        with pytest.raises(UsageError, match=r"^MISSING is not set") as raised:
            parts.run(agent, ONE_ROW, out=tmp_path, python=python, env=["MISSING"])
        assert raised.value.parameter == "env"
    with pytest.raises(UsageError, match="names alone"):
        make_environment(["GREETING=hello"])
    out = tmp_path / "run"
    greets = TELLS.replace("Tells", "Needs")
    for name in ("Key", "Nothing"):
        with pytest.raises(UsageError):
            parts.run(greets + name, ONE_ROW, out=out, python=sys.executable, env="GREETING")
    words = TELLS.replace("Tells", "Words")
    parts.run(words, ONE_ROW, out=tmp_path / "w", python=sys.executable, env="GREETING")
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert all(b"good day" not in file.read_bytes() for file in files)


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
        app, [*words, "--env", "OPENAI_API_KEY", "--source", "factconsolidation_sh_6k"]
    )
    assert (given.exit_code == 0) == (factory == "NeedsKey")


@needs_mcp
def test_an_mcp_server_sees_what_it_is_given_and_where_its_calls_are_metered(
    tmp_path: Path,
) -> None:
    def seen(name: str, **more: Any) -> dict[str, str]:
        out, mapping = tmp_path / name, write_map(tmp_path)
        agent = f"mcp:{SERVER} -"
        run = parts.run(agent, ONE_ROW, out=out, mcp_map=mapping, limit_questions=1, **more)
        return dict(json.loads(next(run.samples()).retrieved[0].text or "{}"))

    assert {*seen("bare")} - {*make_environment()} == {"OF_THE_MAP"}
    given = seen("given", env=["GREETING"], meter="http://127.0.0.1:9/v1")
    metered = {"OPENAI_BASE_URL", "OPENAI_API_KEY"}
    assert {*given} - {*make_environment()} == {"OF_THE_MAP", "GREETING", *metered}
    assert re.fullmatch(r"http://127\.0\.0\.1:.*/v1", given["OPENAI_BASE_URL"])
    assert KEY not in given.values()
