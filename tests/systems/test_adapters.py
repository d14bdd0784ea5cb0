import ast
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mabench
import mabench_systems
from mabench.contract.takes import takes_of
from mabench.errors import MissingPackageError, UsageError
from mabench.lookup import resolve
from mabench.lookup.names import file_reference
from mabench.plugins import Group, plugins
from mabench.remote.stdio_channel import process_factory
from mabench_systems._shared import (
    EmbeddingServer,
    SystemMemory,
    embedding_server,
    encodable,
    storable,
)
from tests.rows import dataset
from tests.systems.environment import make_interpreter

FOLDER = Path(mabench_systems.__file__).parent
MODEL = {"name": "m", "base_url": "http://127.0.0.1:9/v1", "api_key": "k"}
# What each imports first of its system.
PACKAGES = {name: name for name in ("mem0", "langmem", "txtai", "cognee", "letta")}
PACKAGES |= {"llama-index": "llama_index.core.memory", "graphiti": "graphiti_core"}
TXTAI = """
from importlib.util import find_spec
from pathlib import Path

class Embeddings:
    def __init__(self, settings):
        if settings["path"] == "apart":
            assert find_spec("mabench") is None
        self.texts = []
    def upsert(self, rows): self.texts += [(id, row["text"]) for id, row in rows]
    def count(self): return len(self.texts)
    def search(self, query, k, parameters):
        words = set(parameters["query"].split())
        found = [{"id": id, "text": text, "score": float(len(words & set(text.split())))}
                 for id, text in self.texts]
        return sorted(found, key=lambda one: -one["score"])[:k]
    def close(self): pass
"""


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with a txtai of our own and nothing else."""
    return make_interpreter(tmp_path_factory.mktemp("apart"), {"txtai.py": TXTAI})


@pytest.fixture(autouse=True)
def no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)


def test_every_adapter_is_tested_here() -> None:
    points = plugins(Group.MEMORIES).items()
    adapters = [name for name, point in points if point.value.startswith("mabench_systems.")]
    assert sorted(adapters) == sorted(PACKAGES)


@pytest.mark.parametrize("name", PACKAGES)
def test_what_an_adapter_supports_is_what_it_declares(name: str) -> None:
    adapter: type[SystemMemory] = plugins(Group.MEMORIES)[name].load()
    takes = takes_of(object.__new__(adapter))
    told = takes.told | (takes.methods & {"update", "delete", "list"})
    assert told == {*adapter.mabench_support}
    assert takes.asked == told & {"time", "user"}
    assert takes.fields.get("update", frozenset()) == told & {"time"}
    assert takes.fields["delete"] == {"id", "user"}
    assert {*adapter.mabench_support.values()} <= {"native", "emulated"}
    assert not takes.misses


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_no_adapter_imports_anything_of_mabench(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(name.name.partition(".")[0] == "mabench" for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            assert (node.level, node.module) == (1, "_shared")
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] != "mabench"


def test_an_adapter_by_path_gives_the_samples_of_the_same_one_here(
    apart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "txtai.py").write_text(TXTAI, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "txtai", raising=False)
    samples = []
    for where, python in (("apart", apart), ("here", None)):
        agent = mabench.AgentSpec(agent="txtai", python=python)
        run = mabench.run(agent, dataset(), settings={"embeddings": where}, out=tmp_path / where)
        samples.append([*run.samples()])
    assert samples[0] == samples[1]
    assert [sample.error for sample in samples[0]] == [None] * 5
    assert all(sample.retrieved for sample in samples[0])


@pytest.mark.parametrize("name", [name for name in PACKAGES if name != "txtai"])
def test_by_path_a_missing_system_is_named(apart: Path, name: str) -> None:
    start = process_factory(file_reference(name), apart, model=MODEL)
    with pytest.raises(UsageError, match=rf"{name} is not installed.*`python`"):
        start()


@pytest.mark.parametrize("name", PACKAGES)
def test_here_a_missing_system_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGES[name], None)
    embeddings = "openai/any" if name == "letta" else "any"
    with pytest.raises(MissingPackageError, match=rf"{name} is not installed.*`python`"):
        resolve(name, settings={"model": MODEL, "embeddings": embeddings})


def test_embeddings_are_local_or_on_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "own")
    assert embedding_server("folder/of/a/model", "http://x", MODEL) is None
    assert embedding_server("openai/a/b", "http://x", MODEL) == ("a/b", "http://x", "own")
    assert embedding_server("openai/a", None, MODEL) == ("a", MODEL["base_url"], "k")
    assert embedding_server("openai/a", None, None) == EmbeddingServer("a", None, None)


@given(st.text(st.characters(exclude_categories=()) | st.just("\ud83d") | st.just("\0")))
def test_every_text_can_be_stored(text: str) -> None:
    assert encodable(text).encode("utf-8").decode("utf-8") == encodable(text)
    assert len(storable(text)) == len(text)
    assert "\0" not in storable(text)
    assert all(new in (old, "?", " ") for old, new in zip(text, storable(text), strict=True))
