import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from mabench import lookup
from mabench.agents import Oracle, RetrievalAgent
from mabench.contract import Agent, Answer, Query
from mabench.errors import MissingPackageError, UsageError
from mabench.lookup import AgentFactory, Capabilities, available
from mabench.specs import AgentSpec
from tests.agents.queries import ask
from tests.runs.agents import Shelf

_OWN = tomllib.loads(Path(__file__).with_name("own.toml").read_text("utf-8"))
LISTED = "`mabench agents` lists them; one of your own is named package.module:factory"


@pytest.fixture(autouse=True)
def own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with modules, left out of ``sys.path`` as it is for a command."""
    (tmp_path / "sub").mkdir()
    for name, content in _OWN["files"].items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("own_")]:
        del sys.modules[name]


def resolve(agent: Any, model: Any = None, **more: Any) -> AgentFactory:
    return lookup.resolve(AgentSpec(agent=agent, **more), model)


def answer(agent: Agent, question: str) -> object:
    result = agent.answer(ask(question))
    return result.text if isinstance(result, Answer) else result


def test_long_context_is_given_the_model_and_has_one_setting() -> None:
    assert "long-context" in [info.name for info in available()]
    with pytest.raises(UsageError, match="name one with `model`"):
        resolve("long-context")
    model: Any = SimpleNamespace(window=None)
    assert resolve("long-context", model).is_async
    known = "no setting .*known: published; see `model` and `window`"
    for setting in ("window", "k", "model"):
        with pytest.raises(UsageError, match=known):
            resolve("long-context", model, settings={setting: 3})
    with pytest.raises(UsageError, match="in this interpreter"):
        resolve("long-context", model, python=sys.executable)


def test_capabilities_are_declared_of_built_in_agents_alone() -> None:
    before = list(sys.path)
    takers = [info.name for info in available() if Capabilities.of(info.name).takes_gold]
    assert takers == ["oracle"]
    assert resolve("oracle").takes_gold
    assert Capabilities.of("long-context").shows_history
    resolve("bm25").make_agent()
    assert sys.path == before  # Built-ins leave it alone.
    assert not resolve("oracle", python=sys.executable).takes_gold
    for agent in (Oracle, f"{Oracle.__module__}:Oracle"):
        assert not resolve(agent).takes_gold


def test_a_module_of_the_working_directory_is_found() -> None:
    for factory, expected in {"Parrot": "Rome", "make": "Rome", "Parrot.Inner": "inner"}.items():
        agent = resolve(f"own_agents:{factory}").make_agent()
        agent.memorize("Rome")
        assert answer(agent, "?") == expected


@pytest.mark.parametrize(("name", "problem"), _OWN["problems"])
def test_what_cannot_be_loaded_or_makes_no_agent_is_told_in_one_line(
    name: str, problem: str
) -> None:
    with pytest.raises(UsageError, match=problem.replace("LISTED", LISTED)) as caught:
        resolve(name.replace("{here}", str(Path.cwd()))).make_agent()
    assert "\n" not in str(caught.value)


class Quiet:
    """Says nothing."""

    def memorize(self, chunk: str) -> None: ...

    def answer(self, query: Query) -> str:
        return ""


class Slow(Quiet):
    def __init__(self, *, pause: float = 1.0, tone: str = "low") -> None:
        self.pause, self.tone = pause, tone


def test_a_factory_is_resolved_and_settings_reach_it_and_stand_in_the_name() -> None:
    spec = resolve(Quiet)
    assert spec.name == f"{__name__}:Quiet"
    assert isinstance(one := spec.make_agent(), Quiet)
    assert spec.make_agent() is not one
    with pytest.raises(UsageError, match="every row needs a fresh agent"):
        resolve(Quiet())
    spec = resolve(Slow, settings={"tone": "high", "pause": 0.5})
    assert spec.name == f"{__name__}:Slow[pause=0.5,tone=high]"
    assert vars(spec.make_agent()) == {"pause": 0.5, "tone": "high"}

    def make(**settings: object) -> Slow:
        return Slow(tone=str(settings))

    assert vars(resolve(make, settings={"speed": 3}).make_agent())["tone"] == "{'speed': 3}"
    spec = resolve(make, settings={"api_key": "mine-alone", "max_tokens": 20})
    assert "mine-alone" not in spec.name
    assert spec.name.endswith("[api_key=[secret],max_tokens=20]")


class Keeper(Shelf):
    """A memory whose constructor needs a size, and passes on what it does not know."""

    def __init__(self, size: int, **more: str) -> None:
        if more:
            raise TypeError(f"got an unexpected keyword argument '{next(iter(more))}'")


class Archive(Keeper):
    def __init__(self, shelves: int = 1, **more: Any) -> None:
        super().__init__(**more)


@pytest.mark.parametrize(
    ("agent", "setting", "problem"),
    [
        ("bm25", "kk", "bm25 has no setting 'kk': did you mean k[?] known: recipe, k$"),
        ("hybrid", "embedding", "did you mean embeddings[?] known: embeddings, base_url, k$"),
        ("floor", "k", "floor has no setting 'k'; known: embeddings, evidence$"),
        (Quiet, "k", "no setting 'k'; known: none$"),
        (Slow, "paus", "did you mean pause[?] known: pause, tone$"),
    ],
)
def test_unknown_settings_get_the_nearest_and_known(
    agent: Any, setting: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", ModuleType("stand-in"))
    with pytest.raises(UsageError, match=problem) as caught:
        resolve(agent, settings={setting: 3})
    assert caught.value.parameter == "settings"


def test_an_argument_that_is_not_or_cannot_be_given_is_told() -> None:
    agent = resolve(Keeper, settings={"size": 3, "k": 4}).make_agent()
    assert isinstance(agent, RetrievalAgent)
    assert agent.k == 4
    with pytest.raises(UsageError, match="Keeper needs size: give `settings` size=VALUE"):
        resolve(Keeper)

    def models(model: dict[str, str]) -> Quiet:
        return Quiet()

    def positional(size: int, /) -> Quiet:
        return Quiet()

    with pytest.raises(UsageError, match=r"needs a language model: name one with `model`"):
        resolve(models)
    with pytest.raises(UsageError, match="one of its arguments cannot be passed by name"):
        resolve(positional)
    spec = resolve(Archive, settings={"size": 1, "shelvs": 3})
    told = "no setting 'shelvs': did you mean shelves[?] known: shelves, size, k"
    with pytest.raises(UsageError, match=told):
        spec.make_agent()


@pytest.mark.parametrize(
    ("name", "settings", "module", "remedy"),
    [
        ("dense", {}, "sentence_transformers", r"\[embeddings\]"),
        ("hybrid", {"embeddings": "some/model"}, "sentence_transformers", r"openai/NAME"),
        ("dense", {"embeddings": "openai/small"}, "aiohttp", r"\[openai\]"),
        ("floor", {"embeddings": "some/model"}, "sentence_transformers", r"\[embeddings\]"),
        ("mem0", {}, "mem0", r"\[mem0\].*`python`"),
        ("letta", {}, "letta", r"`python`"),
    ],
)
def test_a_package_that_is_missing_is_told_before_anything_is_made(
    name: str, settings: dict[str, Any], module: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingPackageError, match=f"not installed.*{remedy}"):
        resolve(name, settings=settings)
    # The other interpreter may have it.
    assert resolve(name, settings=settings, python=sys.executable).name.startswith(name)


def test_agents_and_memories_of_plugins_are_found_and_listed(
    own_modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = own_modules / "own_plugin-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: own-plugin\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        "[mabench.agents]\nparrot = own_agents:Parrot\nlost = own_nowhere:make\n"
        "oracle = own_agents:Parrot\n"
        "[mabench.memories]\nlist-memory = own_agents:ListMemory\n"
    )
    monkeypatch.syspath_prepend(str(own_modules))
    assert resolve("parrot").name == "parrot"
    agent = resolve("list-memory").make_agent()
    assert isinstance(agent, RetrievalAgent)
    assert agent.k == 10
    agent.memorize("The capital of Freedonia is Marxville.")
    assert answer(agent, "What is the capital of Freedonia?") == "Marxville"
    with pytest.raises(UsageError, match=r"the agent lost .*cannot be loaded.*own_nowhere"):
        resolve("lost")
    # A plugin does not take the place of a built-in.
    assert type(resolve("oracle").make_agent()).__name__ == "Oracle"
    names = [info.name for info in available()]
    ours = ["floor", "no-memory", "oracle", "long-context", "bm25", "dense", "hybrid", "cognee"]
    assert names[:8] == ours
    assert names.count("oracle") == 1
    said = {info.name: info.summary for info in available() if info.origin == "plugin own-plugin"}
    assert (said["parrot"], said["list-memory"]) == ("Repeats the last chunk.", "Keeps a list.")
    assert "cannot be loaded" in said["lost"]
    assert all(info.summary for info in available() if info.origin == "built-in")
