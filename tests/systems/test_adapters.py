import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
from mabench.contract.methods import Takes
from mabench.errors import MissingPackageError, UsageError
from mabench.lookup import resolve
from mabench.lookup.names import place_of
from mabench.plugins import Group, plugins
from mabench.remote.stdio_channel import process_factory
from mabench.specs import AgentSpec
from mabench_systems.letta import LettaMemory
from mabench_systems.shared import Fields, Found, SystemMemory, encodable, make_folder, storable
from mabench_systems.txtai import TxtaiMemory
from tests.rows import dataset

MODEL = {"name": "m", "base_url": "http://127.0.0.1:9/v1", "api_key": "k"}
# What each imports first of its system.
PACKAGES = {name: name for name in ("mem0", "langmem", "txtai", "cognee", "letta")}
PACKAGES |= {"llama-index": "llama_index.core.memory", "graphiti": "graphiti_core"}
TXTAI = """
import threading, time
from importlib.util import find_spec

class Embeddings:
    busy = threading.Lock()
    def __init__(self, settings):
        if settings["path"] == "apart":
            assert find_spec("mabench") is None
        self.texts = []
    def upsert(self, rows):
        assert self.busy.acquire(blocking=False), "another thread uses it"
        time.sleep(0.001)
        self.texts += [(id, row["text"]) for id, row in rows]
        self.busy.release()
    def count(self): return len(self.texts)
    def search(self, query, k, parameters):
        self.upsert([])
        words = set(parameters["query"].split())
        found = [{"id": id, "text": text, "score": float(len(words & set(text.split())))}
                 for id, text in self.texts]
        return sorted(found, key=lambda one: -one["score"])[:k]
    def close(self): pass
"""


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with a txtai of our own and nothing else."""
    folder = tmp_path_factory.mktemp("apart")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", purelib], capture_output=True, text=True, check=True)
    (Path(done.stdout.strip()) / "txtai.py").write_text(TXTAI, "utf-8")
    return python


@pytest.fixture
def txtai_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "txtai.py").write_text(TXTAI, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "txtai", raising=False)


@pytest.fixture(autouse=True)
def no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)


def test_every_adapter_is_tested_here() -> None:
    points = plugins(Group.MEMORIES).items()
    assert {*PACKAGES} == {name for name, at in points if at.value.startswith("mabench_systems.")}


@pytest.mark.parametrize("name", PACKAGES)
def test_what_an_adapter_supports_is_what_it_declares(name: str) -> None:
    adapter: type[SystemMemory] = plugins(Group.MEMORIES)[name].load()
    takes = Takes.of(object.__new__(adapter))
    told = takes.told | (takes.methods & {"update", "delete", "list"})
    assert told == {*adapter.mabench_support}
    assert takes.asked == told & {"time", "user"}
    assert takes.fields.get("update", {}).keys() == told & {"time"}
    assert takes.fields["delete"].keys() == {"id", "user"}
    assert {*adapter.mabench_support.values()} <= {"native", "emulated"}
    assert not takes.misses


@pytest.mark.usefixtures("txtai_here")
def test_an_adapter_by_path_gives_the_samples_of_the_same_one_here(
    apart: Path, tmp_path: Path
) -> None:
    samples = []
    for where, python in (("apart", apart), ("here", None)):
        agent = mabench.AgentSpec(agent="txtai", python=python)
        run = mabench.run(agent, dataset(), settings={"embeddings": where}, out=tmp_path / where)
        samples.append([replace(sample, run=None) for sample in run.samples()])
    assert samples[0] == samples[1]
    assert [sample.error for sample in samples[0]] == [None] * 5
    assert all(sample.retrieved for sample in samples[0])


@pytest.mark.parametrize("name", [name for name in PACKAGES if name != "txtai"])
def test_by_path_a_missing_system_is_named(apart: Path, name: str) -> None:
    start = process_factory(place_of(name), apart, model=MODEL)
    with pytest.raises(UsageError, match=rf"{name} is not installed.*`python`"):
        start()


@pytest.mark.parametrize("name", PACKAGES)
def test_here_a_missing_system_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGES[name], None)
    embeddings = "openai/any" if name == "letta" else "any"
    with pytest.raises(MissingPackageError, match=rf"{name} is not installed.*`python`"):
        resolve(AgentSpec(agent=name, settings={"model": MODEL, "embeddings": embeddings}))


class Shelf(SystemMemory, native="time user update delete list"):
    """A system that makes a memory of each sentence."""

    def _open(self, *, broken: bool = False) -> None:
        self.shelf: dict[str, str] = {}
        self._folder, self.server = make_folder("shelf"), self._server
        if broken:
            raise OSError(self._folder)

    def _store(self, text: str, told: Fields) -> list[str]:
        ids = [f"{told.owner} {len(self.shelf) + i}" for i in range(text.count("."))]
        self.shelf |= dict(zip(ids, text.split("."), strict=False))
        return ids

    def _find(self, query: str | None, k: int, asked: Fields) -> list[Found]:
        own = {key: text for key, text in self.shelf.items()
               if asked.user is None or key.split()[0] == asked.owner}  # fmt: skip
        return [Found(text, None, [key]) for key, text in own.items() if (query or "") in text]

    def _forget(self, id: str, told: Fields) -> None:
        del self.shelf[id]

    def _end(self) -> None:
        self.shelf.clear()


def test_a_text_has_one_id_whatever_the_system_makes_of_it() -> None:
    memory: Any = Shelf()
    may, june = (datetime(2024, month, 1, tzinfo=UTC) for month in (5, 6))
    first = memory.add("Ann lives in Bern. Ann sings.", time=may, user="a")
    memory.add("Ann lives in Rome.", time=june, user="ab")
    assert memory.add("No sentence") is None
    assert memory.add("  ") is None
    found = memory.search("Ann", 9, user="a")
    assert [one["text"] for one in found] == ["Ann lives in Bern", " Ann sings"]
    assert [one["time"] for one in memory.search("Ann", 9, time=may)] == [may, may]
    memory.update(first, "Ann lives in Oslo.")
    [own] = memory.list(user="a")
    assert (own["text"], own["time"]) == ("Ann lives in Oslo", may)
    with pytest.raises(ValueError, match="blank"):
        memory.update(first, " ")
    with pytest.raises(LookupError, match="no text has the id 'x'"):
        memory.delete(id="x")
    memory.delete(user="a")
    assert [one["text"] for one in memory.list()] == ["Ann lives in Rome"]
    with pytest.raises(LookupError):
        memory.update(first, "Ann is gone.")


def test_a_text_with_the_id_of_a_deleted_one_has_not_its_time() -> None:
    memory: Any = Shelf()
    old = memory.add("Ann lives in Bern.", time=datetime(2024, 5, 1, tzinfo=UTC))
    memory.delete(id=old)
    assert memory.add("Ann sings.") == old
    [passage] = memory.list()
    assert (passage["text"], passage["time"]) == ("Ann sings", None)


def test_a_memory_is_opened_with_its_settings_and_leaves_nothing() -> None:
    assert [*signature(Shelf).parameters] == ["model", "embeddings", "embeddings_url", "broken"]
    with pytest.raises(OSError, match="shelf") as caught:
        Shelf(broken=True)
    assert not caught.value.args[0].exists()
    memory: Any = Shelf()
    memory.add("Ann sings.")
    assert memory.stats() == {"memories": 1, "bytes": 0}
    folder = memory._folder
    assert folder.exists()
    memory.close()
    memory.close()
    assert not folder.exists()
    with pytest.raises(ValueError, match="this memory is closed"):
        memory.search("Ann", 1)


@pytest.mark.usefixtures("txtai_here")
def test_txtai_is_used_by_one_thread_at_a_time() -> None:
    memory: Any = TxtaiMemory(embeddings="here")
    with ThreadPoolExecutor(8) as pool:
        assert len({*pool.map(memory.add, ["Ann sings."] * 20)}) == 20
        assert {len(found) for found in pool.map(memory.search, ["Ann"] * 20, [99] * 20)} == {20}


def test_letta_has_one_agent_for_a_user_whoever_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    created: list[str] = []

    class Process:
        def ask(self, method: str, path: str, body: Any) -> Any:
            if path == "/v1/agents/":
                sleep(0.01)
                created.append(body["name"])
                return {"id": body["name"]}
            return [{"id": f"{path} {body['text']}"}]

    package = SimpleNamespace(submodule_search_locations=["letta"])
    monkeypatch.setattr("mabench_systems.letta.find_spec", lambda name: package)
    monkeypatch.setattr("mabench_systems.letta._LettaServer.enter", lambda key: Process())
    memory: Any = LettaMemory(model=MODEL, embeddings="openai/any")
    with ThreadPoolExecutor(8) as pool:
        ids = [*pool.map(memory.add, map(str, range(8)))]
    assert len(created) == 1
    assert len({*ids}) == 8


def test_embeddings_are_local_or_on_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "own")
    for embeddings, url, model, server in (
        ("folder/of/a/model", "http://x", MODEL, None),
        ("openai/a/b", "http://x", MODEL, ("a/b", "http://x", "own")),
        ("openai/a", None, MODEL, ("a", MODEL["base_url"], "k")),
        ("openai/a", None, None, ("a", None, None)),
    ):
        memory = Shelf(model=model, embeddings=embeddings, embeddings_url=url)
        assert memory.server == server
        memory.close()


@given(st.text(st.characters(exclude_categories=()) | st.just("\ud83d") | st.just("\0")))
def test_every_text_can_be_stored(text: str) -> None:
    assert encodable(text).encode("utf-8").decode("utf-8") == encodable(text)
    assert len(storable(text)) == len(text)
    assert "\0" not in storable(text)
    assert all(new in (old, "?", " ") for old, new in zip(text, storable(text), strict=True))
