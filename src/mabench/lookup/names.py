"""Agents and memories by name: built in, brought by other packages, or to be imported."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name

from mabench.contract.answers import message_of, summarize_error
from mabench.contract.methods import KINDS, call_of
from mabench.errors import MissingPackageError, UsageError, nearest, unknown
from mabench.installation import install_command
from mabench.plugins import Group, is_ours, load_plugin, missing_part, plugins
from mabench.redact import redact_agent

# The attribute by which the class of an agent or a memory declares the last four capabilities.
_DECLARED = "mabench_capabilities"
_DECLARABLE = ("embeds", "module", "extra", "packages", "shares_model")
_EMBEDDINGS = "embeddings"
_SERVED = "openai/"
_MOST_NAMED = 3
# What neither a module nor what is in it can be called.
_OF_NO_NAME = re.compile(r"[\x00-\x20\x7f\[\]=]")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What is declared of an agent.

    The first three are those of built-in agents; another class declares the rest in a mapping.
    """

    needs_model: bool = False  # It is made with the model that reads, and needs one.
    shows_history: bool = False  # It shows the model the whole history with every question.
    takes_gold: bool = False  # It is handed each gold answer before the question.
    embeds: bool = False  # Its setting ``embeddings`` is the name of an embedding model.
    module: str | None = None  # Of the memory system that it adapts.
    extra: str | None = None  # The extra of mabench that brings that module, if any.
    # From its settings to the names of installed packages on whose versions its answers depend.
    packages: Callable[[Mapping[str, object]], Collection[str]] = lambda settings: ()
    shares_model: bool = False  # All its instances in a process call one address of a model.

    def require_packages(
        self, name: str, factory: Callable[..., object], settings: Mapping[str, object]
    ) -> None:
        """Raise a ``MissingPackageError`` where an agent could not be made; nothing is imported."""
        if self.module and not _is_there(self.module):
            extra = f"run: {install_command(self.extra)}, or " if self.extra else ""
            raise MissingPackageError(
                f"{name} is not installed; {extra}name an environment that has it with `python` "
                "(docs/guides/memory-systems.md says how)"
            )
        if not self.embeds:
            return
        parameter = inspect.signature(factory).parameters.get(_EMBEDDINGS)
        embeddings = settings.get(_EMBEDDINGS, parameter and parameter.default)
        if not isinstance(embeddings, str):
            return
        module, extra, other = "aiohttp", "openai", ""
        if not embeddings.startswith(_SERVED):
            module, extra = "sentence_transformers", "embeddings"
            other = f", or give `settings` {_EMBEDDINGS}={_SERVED}NAME for a server"
        if not _is_there(module):
            run = f"{install_command(extra)}{other}"
            raise MissingPackageError(f"{name} needs {module}, which is not installed; run: {run}")

    @classmethod
    def of(cls, agent: object) -> Capabilities:
        """Return what is declared of an agent, by its name; nothing of a factory."""
        if not isinstance(agent, str) or ":" in agent:  # Of a class, ``module:Class``.
            return cls()
        if agent in _BUILT_IN:
            return _CAPABILITIES.get(agent, cls())
        factory = factory_named(agent) if agent in _agent_plugins() else None
        declared = getattr(factory, _DECLARED, None)
        if not isinstance(declared, Mapping):
            return cls()
        return cls(**{name: declared[name] for name in _DECLARABLE if name in declared})


# ``module:class`` of each agent of the harness, imported only when it is asked for.
_BUILT_IN: Mapping[str, str] = {
    "no-memory": "mabench.agents:NoMemory",
    "oracle": "mabench.agents:Oracle",
    "long-context": "mabench.agents:LongContext",
}
_CAPABILITIES = {
    "oracle": Capabilities(takes_gold=True),
    "long-context": Capabilities(needs_model=True, shows_history=True),
}
# What each module brought with it when it was imported here.
BROUGHT: dict[str, frozenset[str]] = {}


def embeddings_of(agent: object, settings: Mapping[str, object]) -> object:
    """Return the embedding model that an agent is made with: of its settings, or its default."""
    if _EMBEDDINGS in settings or not isinstance(agent, str):
        return settings.get(_EMBEDDINGS)
    parameter = inspect.signature(factory_named(agent)).parameters.get(_EMBEDDINGS)
    return parameter and parameter.default


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """A line of the list of agents; the summary of a broken plugin is its problem."""

    name: str
    origin: str
    summary: str


def available() -> list[AgentInfo]:
    """List the agents and memories, in the order of ``agent_names``; nothing raises."""
    points, listed = _agent_plugins(), []
    for name in agent_names():
        try:
            doc = (factory_named(name).__doc__ or "").strip()
            summary = doc.partition("\n")[0].strip().replace("``", "")
        except UsageError as error:
            summary = str(error)
        origin = "built-in"
        if not is_shipped(name):
            point = points[name]
            origin = f"plugin {point.dist.name if point.dist else point.value}"
        listed.append(AgentInfo(name, origin, summary))
    return listed


def agent_names() -> list[str]:
    """Return the names of all agents: mabench's, its memories, and those of others."""
    points = _agent_plugins()
    agents = [name for name in plugins(Group.AGENTS) if name in points and is_ours(points[name])]
    return [*dict.fromkeys([*agents, *_BUILT_IN, *points])]


def factory_named(name: str) -> Callable[..., object]:
    """Return the factory of a built-in, of a plugin, or that ``package.module:factory`` names."""
    if name in _BUILT_IN:
        factory: Callable[..., object] = resolve_name(_BUILT_IN[name])
        return factory
    if ":" in name:
        return check_factory(import_object(name, "factory"), name)
    point = _agent_plugins().get(name)
    if point is not None:
        return check_factory(load_plugin(point, "agent"), name)
    if missing := missing_part(name):
        raise missing
    if hint := _hint_of_file(name):
        raise _agent_error(f"no agent named {name!r}; {hint}")
    rest = "`mabench agents` lists them; one of your own is named package.module:factory"
    shown = redact_agent(name)  # Settings may stand behind it.
    raise _agent_error(unknown("no agent named", shown, agent_names(), rest))


def _at_home(name: str) -> Path:
    """Return a path with the home of a user in it; as it is where there is no such user."""
    with suppress(RuntimeError):
        return Path(name).expanduser()
    return Path(name)


def _hint_of_file(name: str) -> str | None:
    """Return what to write for the file that a name seems to mean; None where it means none."""
    path = _at_home(name)
    module = ".".join(path.with_suffix("").parts) if path.suffix == ".py" else name
    if path.suffix == ".py" and (path.is_absolute() or ".." in path.parts):
        hint = _hint_of_module(path, path.stem) or f"there is no file {name}"
        return f"start in {path.parent} and {hint}" if hint.startswith("write") else hint
    for stem, _, attribute in ((module, "", ""), module.rpartition(".")):
        parts = stem.split(".")
        if all(part.isidentifier() for part in parts) and (
            said := _hint_of_module(Path(*parts).with_suffix(".py"), stem, attribute)
        ):
            return said
    return f"there is no file {name}" if path.suffix == ".py" else None


def _hint_of_module(file: Path, module: str, attribute: str = "") -> str | None:
    try:
        body = ast.parse(file.read_bytes(), file.name).body
    except OSError:
        return None
    except (SyntaxError, ValueError) as error:
        return f"{file} cannot be imported: {summarize_error(error)}; correct it"
    classes = [part for part in body if isinstance(part, ast.ClassDef)]
    named = [attribute] if attribute in {cls.name for cls in classes} else []
    if fit := named or [cls.name for cls in classes if not _lacking(cls)]:
        return f"write {' or '.join(f'{module}:{cls}' for cls in fit[:_MOST_NAMED])}"
    for cls in classes:
        if len(lacking := _lacking(cls)) == 1:
            return f"{cls.name} in {file} has no method {call_of(lacking[0])}"
    kinds = ", or ".join(" and ".join(methods) for methods in reversed(KINDS.values()))
    return f"{file} has no class with {kinds}; write {module}:NAME if NAME in it makes an agent"


def _lacking(cls: ast.ClassDef) -> list[str]:
    """Return which methods a class lacks to be an agent or a memory; a base may bring one."""
    own = {getattr(part, "name", "") for part in cls.body}
    lacks = ([method for method in methods if method not in own] for methods in KINDS.values())
    fewest = min(lacks, key=len)
    return [] if cls.bases and len(fewest) == 1 else fewest


def is_shipped(name: str) -> bool:
    """Return whether an agent of that name comes with mabench."""
    point = _agent_plugins().get(name)
    return name in _BUILT_IN or (point is not None and is_ours(point))


def place_of(name: str) -> str:
    """Return how another interpreter finds an agent: one of mabench by the file that holds it."""
    if not is_shipped(name):
        return name
    place = _BUILT_IN[name] if name in _BUILT_IN else _agent_plugins()[name].value
    module, _, attribute = place.partition(":")
    spec = find_spec(module)
    return f"{spec.origin}:{attribute}" if spec else name


def _agent_plugins() -> dict[str, EntryPoint]:
    points = plugins(Group.AGENTS, Group.MEMORIES)
    return {name: point for name, point in points.items() if name not in _BUILT_IN}


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # Of a module within a package: the package is missing.
        return False


def import_object(name: str, kind: str) -> object:
    """Return what ``package.module:attribute`` names; the current directory is searched first."""
    check_object_name(name, kind)
    module_name, _, attribute = name.partition(":")
    if attribute.isdigit() or attribute.startswith("//"):
        address = f"http://{name.partition('://')[2] or name}"
        raise _agent_error(f"{name!r} names no {kind}; write the address of a server as {address}")
    if module_name.endswith(".py"):
        path = _at_home(module_name)
        folder = path.absolute().parent
        where = f"start in {folder} and " if folder != Path.cwd() else ""
        problem = f"only `python` takes a file; {where}write {path.stem}:{attribute}"
        if not path.is_file():
            problem = f"no file {module_name}; write package.module:{attribute}, without .py"
        raise _agent_error(f"{name!r}: {problem}")
    module = _import(module_name)
    try:
        return reduce(getattr, attribute.split("."), module)
    except AttributeError as error:
        near = nearest(attribute, [own for own in vars(module) if not own.startswith("_")])
        hint = f"; expected a {kind} named {attribute}"
        hint = f": did you mean {' or '.join(near)}?" if near else hint
        raise _agent_error(f"{message_of(error)}{hint}") from error


def check_object_name(name: str, kind: str) -> None:
    """Raise a ``UsageError`` for what no ``module:attribute``, or ``FILE.py:attribute``, can be."""
    module_name, _, attribute = name.rpartition(":")
    parts = [*module_name.split("."), *attribute.split(".")]
    is_file = module_name.endswith(".py") and "\0" not in name and attribute
    if not (is_file or all(map(_could_be_name, parts))):
        shown = redact_agent(name)  # Settings may stand behind it.
        raise _agent_error(f"{shown!r} names no {kind}; write it as package.module:{kind}")


def _could_be_name(part: str) -> bool:
    return part != "" and _OF_NO_NAME.search(part) is None


def _import(name: str) -> object:
    here = str(Path.cwd())
    if here not in sys.path:
        # Stays there: what the user's module imports later must be found as well.
        sys.path.insert(0, here)
    before = {*sys.modules}
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            modules = [path.stem for path in Path(here).glob("*.py")]
            rest = f"give a module that is installed or in {here}"
            raise _agent_error(unknown("no module named", error.name, modules, rest)) from error
        raise _agent_error(f"importing {name} failed: {message_of(error)}; install it") from error
    except KeyboardInterrupt:
        raise  # The user's: importing can take long.
    except BaseException as error:
        failure = f"importing {name} failed: {summarize_error(error)}"
        raise _agent_error(f"{failure}; correct {name}") from error
    if name not in before:
        BROUGHT[name] = frozenset(sys.modules) - before
    return module


def _agent_error(message: str) -> UsageError:
    return UsageError(message, parameter="agent")


def check_factory(factory: object, name: str) -> Callable[..., object]:
    """Return ``factory`` if it can make agents, else raise a ``UsageError`` about ``name``."""
    problem = "an async function; give a class or a function (its methods may be async)"
    if not callable(factory):
        instance = f"an instance of {type(factory).__name__}, but every row needs a fresh agent"
        problem = f"{instance}; give a class or a function"
    elif not inspect.iscoroutinefunction(factory):
        return factory
    raise UsageError(f"{name} is {problem}", parameter="agent")
