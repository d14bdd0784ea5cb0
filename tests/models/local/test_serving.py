"""A model on this machine, from its server's start to its end; llama.cpp has a stand-in."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.errors import UsageError
from mabench.models import ModelUnavailableError
from mabench.models.local import sharing
from mabench.results import Run, RunFolder
from mabench.specs import ModelSpec
from tests.command_line import succeed, within
from tests.models.local.stand_ins import VERSION, StandIn, install
from tests.printing import markdown


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """The stand-in, whose servers end with the test."""
    one = install(tmp_path)
    monkeypatch.syspath_prepend(str(one.folder))
    monkeypatch.setenv("PYTHONPATH", str(one.folder))
    monkeypatch.setenv("STAND_IN_LOG", str(one.log))
    monkeypatch.setenv("MABENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sharing, "_processes", {})
    yield one
    sharing._close_all()


def run(stand_in: StandIn, name: str = "run", **how: Any) -> Run:
    """Ask six questions, with passages of five chunks."""
    model = {"name": f"gguf:{stand_in.model}"} | how.pop("model", {})
    agent = how.pop("agent", "bm25")
    return mabench.run(
        agent,
        "synthetic:small",
        sources=["factconsolidation_sh_6k"],
        limit_questions=6,
        settings={"k": how.pop("k", 2)} if agent == "bm25" else {},
        model=ModelSpec(**model),
        out=stand_in.log.parent / name,
        protocol=mabench.InjectionSpec(chunk_tokens=100),
        **how,
    )


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    return not status.exists() or status.read_text("utf-8").rpartition(")")[2].split()[0] != "Z"


def wait_until_ended(process: int) -> None:
    with within(60):
        while is_running(process):
            time.sleep(0.01)


def test_the_run_says_all_that_its_answers_depend_on(stand_in: StandIn) -> None:
    done = run(stand_in)
    assert {sample.prediction for sample in done.samples()} == {"Paris it is"}
    recorded = json.loads((done.folder / "run.json").read_text("utf-8"))["model"]
    assert recorded["name"] == "gguf:tiny.gguf"
    local = recorded["local"]
    assert local == {
        "file": hashlib.sha256(stand_in.model.read_bytes()).hexdigest(),
        "package": VERSION,
        "context": 4096,
        "slots": 1,
        "threads": local["threads"],
    }
    assert all(sample.cost == 0 for sample in done.samples())


def test_one_server_is_shared_by_runs_and_by_other_processes(stand_in: StandIn) -> None:
    run(stand_in, "here")
    run(stand_in, "elsewhere", executor="processes", model={"cache": False})
    (started,) = stand_in.started
    assert (started["slots"], started["context"]) == (1, 4096)
    assert len(stand_in.asked) == 12


def test_as_many_requests_are_under_way_as_there_are_slots(stand_in: StandIn) -> None:
    done = run(stand_in, model={"requests_in_flight": 3, "window": 1000})
    (started,) = stand_in.started
    assert (started["slots"], started["context"]) == (3, 3000)
    repeatable = "answers can depend on which are read together"
    assert f"gguf:tiny.gguf answered 3 questions at a time, and {repeatable}" in markdown(done)
    assert repeatable not in markdown(run(stand_in, "one"))


def test_the_key_is_seen_by_nobody(stand_in: StandIn) -> None:
    done = run(stand_in)
    (process,) = sharing._processes.values()
    (started,) = stand_in.started
    assert process.key not in started["words"]
    written = [file.read_bytes() for file in done.folder.rglob("*") if file.is_file()]
    assert written
    assert not any(process.key.encode() in content for content in written)
    answer = subprocess.run(
        ["curl", "--silent", "-d", '{"messages": []}', f"{process.url}/chat/completions"],
        capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert "Invalid API Key" in answer.stdout


def test_replies_are_kept_for_the_same_file_and_slots_alone(stand_in: StandIn) -> None:
    run(stand_in, "one")
    asked = len(stand_in.asked)
    run(stand_in, "two")
    assert len(stand_in.asked) == asked
    run(stand_in, "slots", model={"requests_in_flight": 2})
    assert len(stand_in.asked) == 2 * asked
    stand_in.model.write_bytes(stand_in.model.read_bytes() + b"other weights")
    run(stand_in, "weights")
    assert len(stand_in.asked) == 3 * asked


def test_an_estimate_starts_no_server_and_costs_nothing(stand_in: StandIn) -> None:
    place = stand_in.log.parent
    data = ["--data", "synthetic:small", "--source", "ruler_qa1_197K", "--limit-questions", "2"]
    model = ["--model", f"gguf:{stand_in.model}", "--window", "2000"]
    done = succeed("run", "long-context", *data, *model, "--estimate", cwd=place)
    assert "runs on this machine, and its tokens cost nothing" in " ".join(done.stdout.split())
    assert "the model's window of 2,000 tokens" in " ".join(done.stdout.split())
    assert not stand_in.started


def test_no_proxy_and_no_address_of_another_server_counts(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-server")
    assert not [sample for sample in run(stand_in).samples() if sample.error]


def test_passages_that_exceed_the_context_are_cut_and_the_sample_says_so(
    stand_in: StandIn,
) -> None:
    done = run(stand_in, k=8, model={"window": 300})
    samples = list(done.samples())
    assert not [sample for sample in samples if sample.error]
    assert all((sample.dropped_tokens or 0) > 0 for sample in samples)
    assert all((sample.input_tokens or 0) < 300 for sample in samples)


def test_a_history_that_has_more_tokens_than_estimated_is_cut_further(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_CHARACTERS", "2")
    samples = list(run(stand_in, agent="long-context").samples())
    assert not [sample for sample in samples if sample.error]
    assert all((sample.dropped_tokens or 0) > 0 for sample in samples)
    assert all(3000 < (sample.input_tokens or 0) < 4096 for sample in samples)
    refused = len(stand_in.asked) - len(samples)
    assert 1 <= refused <= 2  # What was learnt from one question serves the others.


def test_a_server_that_is_killed_stops_the_run_and_nothing_is_asked_twice(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [sample.question for sample in run(stand_in, "all", model={"cache": False}).samples()]
    stand_in.log.unlink()
    sharing._close_all()
    monkeypatch.setenv("STAND_IN_DIES_AT", names[3])
    with pytest.raises(mabench.MabenchError, match="its process on this machine has ended"):
        run(stand_in, model={"cache": False})
    answered = [*RunFolder(stand_in.log.parent / "run").samples()]
    assert [sample.question for sample in answered] == names[:3]
    assert not [sample for sample in answered if sample.error]
    monkeypatch.delenv("STAND_IN_DIES_AT")
    done = run(stand_in, model={"cache": False})
    assert [sample.question for sample in done.samples()] == names
    counts = [sum(name in prompt for prompt in stand_in.asked) for name in names]
    assert counts == [1, 1, 1, 2, 1, 1]


_ASKING = """
import sys
from mabench.models.local import serve
from mabench.specs import ModelSpec
serve(ModelSpec(sys.argv[1]))
print("ready", flush=True)
exec(sys.argv[2])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("ending", ["sys.stdin.read()", "pass", "1 / 0", "import os; os._exit(3)"])
def test_the_server_ends_with_its_command_however_that_ends(stand_in: StandIn, ending: str) -> None:
    command = [sys.executable, "-c", _ASKING, f"gguf:{stand_in.model}", ending]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, **pipes) as asking:
        assert asking.stdout is not None
        assert asking.stdout.readline() == b"ready\n"
        (started,) = stand_in.started
        if ending == "sys.stdin.read()":
            assert is_running(started["started"])
            asking.send_signal(signal.SIGKILL)
        asking.wait()
        wait_until_ended(started["started"])


@pytest.mark.parametrize(
    ("words", "kind", "told"),
    [
        (
            "E llama_model_load: error loading model: unknown model architecture: 'nemo9'",
            UsageError,
            "does not know its architecture 'nemo9'; update the package xllamacpp",
        ),
        (
            "E llama_model_load: error loading model: tensor 'blk.16.ffn_down.weight' data is not "
            "within the file bounds, model is corrupted or incomplete",
            UsageError,
            "tiny.gguf is cut off; download it again",
        ),
        (
            "E llama_init_from_model: failed to initialize the context: failed to allocate buffer "
            "for kv cache",
            ModelUnavailableError,
            "does not fit into the memory of this machine; use a smaller `window`",
        ),
        (
            "E llama_model_load: error loading model: wrong number of tensors",
            UsageError,
            "cannot be served: wrong number of tensors",
        ),
    ],
)
def test_what_llama_cpp_says_of_a_model_becomes_an_error_with_a_remedy(
    stand_in: StandIn,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    kind: type[mabench.MabenchError],
    told: str,
) -> None:
    monkeypatch.setenv("STAND_IN_FAILURE", words)
    with pytest.raises(kind) as raised:
        run(stand_in)
    assert told in str(raised.value)
    assert str(stand_in.model) in str(raised.value)
    assert not (stand_in.log.parent / "run").exists()
