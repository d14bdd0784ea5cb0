from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabench.agents import RetrievalAgent
from mabench.agents.baselines import Oracle
from mabench.agents.memories.bm25 import BM25Memory
from mabench.contract import Agent, Answer, Query
from mabench.errors import UsageError
from mabench.lookup import available, capabilities_of, make_agent, resolve
from tests.agents.queries import ask

OWN_MODULE = '''
"""Agents of a user."""

class Parrot:
    """Repeats the last chunk."""
    def memorize(self, chunk): self.last = chunk
    def answer(self, query): return self.last
    class Inner:
        def memorize(self, chunk): pass
        def answer(self, query): return "inner"

class ListMemory:
    """Keeps a list."""
    def __init__(self): self.texts = []
    def add(self, text): self.texts.append(text)
    def search(self, query, k): return self.texts[:k]

class HalfAgent:
    def memorise(self, chunk): pass
    def answer(self, query): return ""

def make(): return Parrot()
def needs(size): return Parrot()
def broken(): raise RuntimeError("no\\nserver")
def returns_class(): return Parrot
async def later(): return Parrot()
parrot = Parrot()
'''


@pytest.fixture
def own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with modules, left out of ``sys.path`` as it is for a command."""
    (tmp_path / "own_agents.py").write_text(OWN_MODULE)
    (tmp_path / "own_error.py").write_text("import not_there_at_all\n")
    (tmp_path / "own_syntax.py").write_text("def (:\n")
    (tmp_path / "own_exit.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("own_")]:
        del sys.modules[name]


@pytest.fixture
def plugins(own_modules: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package that brings two agents, one of them broken, and a memory."""
    folder = own_modules / "own_plugin-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: own-plugin\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        "[mabench.agents]\nparrot = own_agents:Parrot\nlost = own_nowhere:make\n"
        "oracle = own_agents:Parrot\n"
        "[mabench.memories]\nlist-memory = own_agents:ListMemory\n"
    )
    monkeypatch.syspath_prepend(str(own_modules))
    return own_modules


def answer(agent: Agent, question: str) -> str:
    result = agent.answer(ask(question))
    assert isinstance(result, str | Answer)
    return result if isinstance(result, str) else result.text


@pytest.mark.parametrize("name", ["floor", "bm25", "no-memory", "oracle"])
def test_built_in_agents_can_be_examined(name: str) -> None:
    spec = resolve(name)
    assert spec.name == name
    assert make_agent(spec) is not make_agent(spec)


def test_bm25_searches_ten_passages_deep() -> None:
    agent = make_agent(resolve("bm25"))
    assert isinstance(agent, RetrievalAgent)
    for number in range(30):
        agent.memorize(f"The harbour of town {number} is deep.")
    result = agent.answer(ask("Which harbour is deep?"))
    assert isinstance(result, Answer)
    assert len(result.retrieved) == 10


def test_long_context_is_listed_but_needs_a_language_model() -> None:
    assert "long-context" in [info.name for info in available()]
    with pytest.raises(UsageError, match="name one with `model`"):
        resolve("long-context")


class Reading:
    """Stands for a model that is never asked."""

    window = None


def test_long_context_is_given_the_model_and_has_one_setting() -> None:
    model: Any = Reading()
    assert resolve("long-context", model).is_async
    for setting in ("window", "k", "model"):
        with pytest.raises(
            UsageError, match=r"no setting .*known: published; see `model` and `window`"
        ):
            resolve("long-context", model, settings={setting: 3})
    with pytest.raises(UsageError, match="in this interpreter"):
        resolve("long-context", model, python=sys.executable)


def test_capabilities_are_declared_of_built_in_agents_alone() -> None:
    assert [info.name for info in available() if capabilities_of(info.name).takes_gold] == [
        "oracle"
    ]
    assert resolve("oracle").takes_gold
    assert capabilities_of("long-context").shows_history
    for agent in (Oracle, f"{Oracle.__module__}:Oracle"):
        assert not resolve(agent).takes_gold
    assert not resolve("oracle", python=sys.executable).takes_gold


@pytest.mark.usefixtures("own_modules")
class TestOwnModule:
    @pytest.mark.parametrize("factory", ["Parrot", "make"])
    def test_a_module_of_the_working_directory_is_found(self, factory: str) -> None:
        agent = make_agent(resolve(f"own_agents:{factory}"))
        agent.memorize("Rome")
        assert answer(agent, "?") == "Rome"

    def test_a_factory_may_lie_within_a_class(self) -> None:
        assert answer(make_agent(resolve("own_agents:Parrot.Inner")), "?") == "inner"

    def test_a_memory_becomes_an_agent(self) -> None:
        agent = make_agent(resolve("own_agents:ListMemory"))
        agent.memorize("The capital of Freedonia is Marxville.")
        assert answer(agent, "What is the capital of Freedonia?") == "Marxville"

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            ("own_missing:make", "no module named own_missing; give one that is installed"),
            ("own_missing.part:make", "no module named own_missing;"),
            ("own_agents:absent", "no attribute 'absent'; expected a factory named absent"),
            ("own_agents:", "write it as package.module:factory"),
            (":make", "write it as package.module:factory"),
            ("own_agents:parrot", "instance of Parrot, but every row needs a fresh agent"),
            ("own_agents:needs", "missing a required argument: 'size'; give a class or"),
            ("own_agents:later", "own_agents:later is an async function"),
            ("own_error:make", "importing own_error failed: .*not_there_at_all"),
            ("own_syntax:make", "importing own_syntax failed: SyntaxError"),
            ("own_exit:make", "importing own_exit failed: SystemExit: 3"),
        ],
    )
    def test_what_cannot_be_loaded_is_told_in_one_line(self, name: str, told: str) -> None:
        with pytest.raises(UsageError, match=told) as caught:
            resolve(name)
        assert "\n" not in str(caught.value)

    def test_a_factory_that_raises_is_told_in_one_line(self) -> None:
        spec = resolve("own_agents:broken")
        with pytest.raises(UsageError, match="own_agents:broken failed: RuntimeError: no server"):
            make_agent(spec)

    @pytest.mark.parametrize(
        ("factory", "told"), [("HalfAgent", "memorise"), ("returns_class", "Parrot is a class")]
    )
    def test_what_is_no_agent_is_told(self, factory: str, told: str) -> None:
        spec = resolve(f"own_agents:{factory}")
        with pytest.raises(UsageError, match=f"own_agents:{factory} is no agent: .*{told}"):
            make_agent(spec)


class Quiet:
    """Says nothing."""

    def memorize(self, chunk: str) -> None: ...

    def answer(self, query: Query) -> str:
        return ""


def test_a_factory_itself_is_resolved() -> None:
    spec = resolve(Quiet)
    assert spec.name == f"{__name__}:Quiet"
    assert isinstance(make_agent(spec), Quiet)


class Slow(Quiet):
    """Has two settings."""

    def __init__(self, *, pause: float = 1.0, tone: str = "low") -> None:
        self.pause = pause
        self.tone = tone


def test_settings_reach_the_factory_and_stand_in_the_name() -> None:
    spec = resolve(Slow, settings={"tone": "high", "pause": 0.5})
    assert spec.name == f"{__name__}:Slow[pause=0.5,tone=high]"
    agent = make_agent(spec)
    assert isinstance(agent, Slow)
    assert (agent.pause, agent.tone) == (0.5, "high")


@pytest.mark.parametrize(
    ("factory", "known"), [(Slow, "pause, tone"), (Quiet, "none"), ("no-memory", "none")]
)
def test_an_unknown_setting_names_the_known_ones(factory: str | type[Quiet], known: str) -> None:
    with pytest.raises(UsageError, match=rf"no setting 'speed'; known: {known}$"):
        resolve(factory, settings={"speed": 3})


def test_a_factory_that_takes_any_setting_gets_it() -> None:
    def make(**settings: object) -> Slow:
        return Slow(tone=str(settings))

    agent = make_agent(resolve(make, settings={"speed": 3}))
    assert isinstance(agent, Slow)
    assert agent.tone == "{'speed': 3}"


def test_an_instance_is_refused_because_rows_need_fresh_agents() -> None:
    with pytest.raises(UsageError, match="every row needs a fresh agent"):
        resolve(Quiet())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "near"),
    [("bm52", "bm25"), ("nomemory", "no-memory"), ("xyzzy", "floor, bm25, no-memory")],
)
def test_an_unknown_name_gets_the_nearest_known_ones(name: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"no agent named '{name}'; nearest: {near}.*module:fac"):
        resolve(name)


@pytest.mark.usefixtures("plugins")
class TestPlugins:
    def test_agents_and_memories_of_plugins_are_found_by_name(self) -> None:
        assert resolve("parrot").name == "parrot"
        agent = make_agent(resolve("list-memory"))
        assert isinstance(agent, RetrievalAgent)
        assert agent.k == 10

    def test_a_broken_plugin_is_told_when_it_is_asked_for(self) -> None:
        with pytest.raises(UsageError, match=r"plugin lost .*cannot be loaded.*own_nowhere"):
            resolve("lost")

    def test_a_plugin_does_not_take_the_place_of_a_built_in(self) -> None:
        assert type(make_agent(resolve("oracle"))).__name__ == "Oracle"

    def test_built_ins_are_listed_first_and_broken_plugins_with_their_problem(self) -> None:
        listed = available()
        names = [info.name for info in listed]
        assert names[:5] == ["floor", "bm25", "no-memory", "oracle", "long-context"]
        assert names.count("oracle") == 1
        plugins = {info.name: info for info in listed if info.origin == "plugin own-plugin"}
        assert plugins["parrot"].summary == "Repeats the last chunk."
        assert plugins["list-memory"].summary == "Keeps a list."
        assert "cannot be loaded" in plugins["lost"].summary

    def test_every_built_in_has_a_summary(self) -> None:
        assert all(info.summary for info in available() if info.origin == "built-in")


@pytest.mark.usefixtures("own_modules")
def test_built_ins_leave_the_search_path_alone() -> None:
    before = list(sys.path)
    make_agent(resolve("bm25"))
    available()
    assert sys.path == before


def test_a_setting_that_is_a_key_is_not_in_the_name() -> None:
    def make(api_key: str = "", max_tokens: int = 1) -> object:
        return BM25Memory()

    spec = resolve(make, settings={"api_key": "mine-alone", "max_tokens": 20})
    assert "mine-alone" not in spec.name
    assert spec.name.endswith("[api_key=[secret],max_tokens=20]")
