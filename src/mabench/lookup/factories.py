"""Factories of agents: what they take, what they are given, and what they make."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

from mabench.contract.answers import describe_error, is_ctrl_c, text_of
from mabench.contract.interfaces import Agent
from mabench.contract.methods import KINDS
from mabench.errors import MabenchError, UsageError, ignored_model
from mabench.redact import redact
from mabench.suggestions import unknown

if TYPE_CHECKING:
    from mabench.models import ReadingModel

Factory = Callable[..., object]
DEPTH = 10  # The published depth of BM25 and of the embedding memories.
DEPTH_SETTING = "k"
MODEL_ARGUMENT = "model"
_LONGEST = 200  # Characters of an error in a message.
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class NotMadeError(UsageError):
    """What makes an agent raised an error."""


def check_factory(factory: object, name: str) -> Factory:
    """Return ``factory`` if it can make agents, else raise a ``UsageError`` about ``name``."""
    problem = "an async function; give a class or a function (its methods may be async)"
    if not callable(factory):
        instance = f"an instance of {type(factory).__name__}, but every row needs a fresh agent"
        problem = f"{instance}; give a class or a function"
    elif not inspect.iscoroutinefunction(factory):
        return factory
    raise UsageError(f"{name} is {problem}", parameter="agent")


def list_parameters(factory: Factory) -> list[str]:
    """Return the arguments that a factory takes by name; none where that cannot be told."""
    return [parameter.name for parameter in _parameters(factory) or () if parameter.kind in _NAMED]


def takes_model(factory: Factory, settings: Mapping[str, object]) -> bool:
    """Return whether a factory is given the address of the model; not if it is set to another."""
    return MODEL_ARGUMENT in list_parameters(factory) and MODEL_ARGUMENT not in settings


def answers_itself(factory: Factory) -> bool:
    """Return whether a factory is known to make agents, not memories: it is a class of them."""
    cls = getattr(factory, "func", factory)
    return isinstance(cls, type) and all(hasattr(cls, method) for method in KINDS["agent"])


def bind_settings(
    factory: Factory,
    name: str,
    settings: Mapping[str, object],
    others: Collection[str] = (),
    hint: str = "",
) -> Factory:
    """Return ``factory`` with ``settings`` as its keyword arguments, given ``others`` beside them.

    Raises:
        UsageError: when it has no such setting, with a ``hint``, or it lacks an argument.
    """
    parameters = _parameters(factory)
    if parameters is None:
        return partial(factory, **settings)
    named = list_parameters(factory)
    strange = [setting for setting in settings if setting not in named]
    if strange and not _takes_any(parameters):
        raise _no_setting(factory, name, strange[0], hint)
    required = [p for p in parameters if p.default is p.empty]
    lacking = [p.name for p in required if p.kind in _NAMED and p.name not in {*settings, *others}]
    if lacking == [MODEL_ARGUMENT]:
        raise UsageError(f"{name} needs a language model: name one with `model`", parameter="model")
    if lacking:
        remedy = " ".join(f"`settings` {argument}=VALUE" for argument in lacking)
        raise UsageError(f"{name} needs {', '.join(lacking)}: give {remedy}", parameter="settings")
    if any(parameter.kind is parameter.POSITIONAL_ONLY for parameter in required):
        raise UsageError(
            f"{name} cannot be called: an argument of it has no name that it can be given by; "
            "give a class or a function whose arguments have names",
            parameter="agent",
        )
    return partial(factory, **settings) if settings else factory


def call_factory(
    factory: Factory,
    name: str,
    model: ReadingModel | None = None,
    depth: int = DEPTH,
    *,
    has_model: bool = False,
) -> Agent:
    """Call ``factory``; a memory becomes a retrieval agent with a reader, shown ``depth`` passages.

    Raises:
        NotMadeError: when the factory raises; errors that are mabench's own pass unchanged.
        UsageError: when the agent would ignore the model, which ``has_model`` says it was given.
    """
    from mabench.agents.readers import ModelReader, reader_without_model
    from mabench.agents.retrieval import RetrievalAgent

    try:
        thing = factory()
        kinds = [kind for kind, methods in KINDS.items() if all(hasattr(thing, m) for m in methods)]
        if isinstance(thing, type):
            kinds = []
        if kinds == ["memory"]:
            reader = ModelReader(model) if model else reader_without_model()
            return RetrievalAgent(thing, reader, depth)  # type: ignore[arg-type]
        if model and not has_model and kinds:
            raise ignored_model(name)
    except MabenchError:
        raise
    except ImportError as error:
        raise NotMadeError(f"{name} cannot be made: {message_of(error)}") from error
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        # A factory that seems to take any setting may refuse one.
        settings = factory.keywords if isinstance(factory, partial) else {}
        if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
            for setting in settings:
                if f"'{setting}'" in str(error):
                    raise _no_setting(factory, name, setting) from error
        reason = f"making {name} failed: {summarize_error(error)}"
        raise NotMadeError(f"{reason}; correct its factory") from error
    return thing  # type: ignore[return-value]  # conformance_problems() says whether it is one.


def summarize_error(error: BaseException) -> str:
    """Return the kind and the message of an error in one line."""
    return " ".join(redact(describe_error(error)).split())[:_LONGEST]


def message_of(error: BaseException) -> str:
    """Return the message of an error in one line; its kind if it has none."""
    return " ".join(redact(text_of(error)).split())[:_LONGEST] or type(error).__name__


def _parameters(factory: Factory) -> Collection[inspect.Parameter] | None:
    try:
        return inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):  # Compiled code does not always say what it takes.
        return None


def _takes_any(parameters: Collection[inspect.Parameter] | None) -> bool:
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters or ())


def _no_setting(factory: Factory, name: str, setting: str, hint: str = "") -> UsageError:
    names = dict.fromkeys(list_parameters(factory))
    # Where a constructor passes on any, its bases take more.
    cls = getattr(factory, "func", factory)
    for base in cls.__mro__[1:] if isinstance(cls, type) else ():
        if not _takes_any(_parameters(cls)):
            break
        cls = base
        names |= dict.fromkeys(list_parameters(base))
    if not answers_itself(factory):
        names |= {DEPTH_SETTING: None}
    rest = f"known: {', '.join(names) or 'none'}{hint}"
    return UsageError(unknown(f"{name} has no setting", setting, names, rest), parameter="settings")
