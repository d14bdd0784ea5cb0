"""The arguments of factories: which they take, which they are given, which they lack."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import partial

from mabench.errors import UsageError
from mabench.suggestions import unknown

Factory = Callable[..., object]
DEPTH_SETTING = "k"
MODEL_ARGUMENT = "model"
AGENT_METHODS = ("memorize", "answer")
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def with_settings(
    factory: Factory,
    name: str,
    settings: Mapping[str, object],
    given: Collection[str] = (),
    also: str = "",
) -> Factory:
    """Return ``factory`` with ``settings`` as its keyword arguments.

    Args:
        factory: a class or a function.
        name: what to call it.
        settings: arguments by name.
        given: which arguments it is given beside them.
        also: what to add to the message about an unknown setting.

    Raises:
        UsageError: when it has no such setting, with the nearest and all that it has, or it
            lacks an argument.
    """
    signature = _signature(factory)
    if signature is None:
        return partial(factory, **settings)
    parameters = signature.parameters.values()
    known = parameters_of(factory)
    strange = [setting for setting in settings if setting not in known]
    if strange and not any(one.kind is one.VAR_KEYWORD for one in parameters):
        raise _no_setting(factory, name, strange[0], also)
    lacking = [
        one.name
        for one in parameters
        if one.kind in _NAMED and one.default is one.empty and one.name not in {*settings, *given}
    ]
    if lacking:
        raise _incomplete(name, lacking)
    if any(one.kind is one.POSITIONAL_ONLY and one.default is one.empty for one in parameters):
        raise UsageError(
            f"{name} cannot be called: an argument of it has no name that it can be given by; "
            "give a class or a function whose arguments have names",
            parameter="agent",
        )
    return partial(factory, **settings) if settings else factory


def parameters_of(factory: Callable[..., object]) -> list[str]:
    """Return the arguments that a factory takes by name; none where that cannot be told."""
    signature = _signature(factory)
    parameters = signature.parameters.values() if signature else ()
    return [one.name for one in parameters if one.kind in _NAMED]


def refused_setting(error: TypeError, factory: Factory, name: str) -> UsageError | None:
    """Return what to say where a factory that seems to take any setting refused one of them.

    None where it raised the error for another reason.
    """
    given = factory.keywords if isinstance(factory, partial) else {}
    if "unexpected keyword argument" not in str(error):
        return None
    refused = (setting for setting in given if f"'{setting}'" in str(error))
    setting = next(refused, None)
    return None if setting is None else _no_setting(factory, name, setting)


def answers_itself(factory: Callable[..., object]) -> bool:
    """Whether a factory is known to make agents, not memories: it is a class of them."""
    made_of = getattr(factory, "func", factory)
    return isinstance(made_of, type) and all(hasattr(made_of, method) for method in AGENT_METHODS)


def takes_model(factory: Factory, settings: Mapping[str, object]) -> bool:
    """Whether a factory is given the address of the model; not where it is set to another."""
    return MODEL_ARGUMENT in parameters_of(factory) and MODEL_ARGUMENT not in settings


def _signature(factory: Callable[..., object]) -> inspect.Signature | None:
    try:
        return inspect.signature(factory)
    except (TypeError, ValueError):  # Compiled code does not always say what it takes.
        return None


def _no_setting(factory: Factory, name: str, setting: str, also: str = "") -> UsageError:
    known = _all_parameters(factory)
    if not answers_itself(factory):
        known.append(DEPTH_SETTING)
    rest = f"known: {', '.join(known) or 'none'}{also}"
    return UsageError(unknown(f"{name} has no setting", setting, known, rest), parameter="settings")


def _incomplete(name: str, lacking: list[str]) -> UsageError:
    if lacking == [MODEL_ARGUMENT]:
        return UsageError(
            f"{name} needs a language model: name one with `model`", parameter="model"
        )
    remedy = " ".join(f"`settings` {argument}=VALUE" for argument in lacking)
    return UsageError(f"{name} needs {', '.join(lacking)}: give {remedy}", parameter="settings")


def _all_parameters(factory: Factory) -> list[str]:
    """Return the arguments of a factory and, where a constructor passes on any, of its bases."""
    known = dict.fromkeys(parameters_of(factory))
    made_of = getattr(factory, "func", factory)
    for base in made_of.__mro__[1:] if isinstance(made_of, type) else ():
        signature = _signature(made_of)
        parameters = signature.parameters.values() if signature else ()
        if not any(one.kind is one.VAR_KEYWORD for one in parameters):
            break
        made_of = base
        known |= dict.fromkeys(parameters_of(base))
    return [*known]
