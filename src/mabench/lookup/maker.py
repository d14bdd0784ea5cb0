"""Calls a factory of agents or memories, after checking the arguments that it takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from mabench.contract.answers import is_ctrl_c, message_of, summarize_error
from mabench.contract.interfaces import Agent, conformance_problems
from mabench.contract.methods import KINDS
from mabench.errors import MabenchError, NotMadeError, UsageError, ignored_model, unknown

if TYPE_CHECKING:
    from mabench.models import ReadingModel

# Kinds of parameters that can be passed by name.
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Maker:
    """A factory of agents or memories, with its name for errors."""

    def __init__(self, factory: Callable[..., object], name: str) -> None:
        self.factory, self._name = factory, name
        self._parameters: Collection[inspect.Parameter] | None
        try:
            self._parameters = inspect.signature(factory).parameters.values()
        except (TypeError, ValueError):  # Compiled code may have no signature.
            self._parameters = None
        # The arguments that it takes by name; empty if that is not known.
        self.arguments = [
            parameter.name for parameter in self._parameters or () if parameter.kind in _NAMED
        ]
        # The factory without the arguments that it was given; it may be a class.
        self.product = getattr(factory, "func", factory)
        # Whether it is a class of agents, and not of memories.
        self.answers_itself = isinstance(self.product, type) and all(
            hasattr(self.product, method) for method in KINDS["agent"]
        )

    @property
    def is_async(self) -> bool:
        """Whether what it makes has async methods, as far as its class says."""
        methods = [getattr(self.product, name, None) for names in KINDS.values() for name in names]
        return any(map(inspect.iscoroutinefunction, methods))

    def takes(self, argument: str, settings: Mapping[str, object]) -> bool:
        """Return whether it takes an argument that the user's settings do not set."""
        return argument in self.arguments and argument not in settings

    def given(self, *arguments: object, **settings: object) -> Maker:
        """Return the factory with these arguments filled in."""
        return Maker(partial(self.factory, *arguments, **settings), self._name)

    def bind(
        self, settings: Mapping[str, object], others: Collection[str] = (), hint: str = ""
    ) -> Maker:
        """Return the factory with the settings filled in; the arguments ``others`` will follow.

        ``hint`` is added to the error about an unknown setting.

        Raises:
            UsageError: when it has no such setting, or an argument is missing.
        """
        name = self._name
        if self._parameters is None:
            return self.given(**settings)
        unknown_settings = [setting for setting in settings if setting not in self.arguments]
        if unknown_settings and not self._takes_any_setting:
            raise self._unknown_setting(unknown_settings[0], hint)
        required = [
            parameter for parameter in self._parameters if parameter.default is parameter.empty
        ]
        given = {*settings, *others}
        missing = [
            parameter.name
            for parameter in required
            if parameter.kind in _NAMED and parameter.name not in given
        ]
        if missing == ["model"]:
            problem = f"{name} needs a language model: name one with `model`"
            raise UsageError(problem, parameter="model")
        if missing:
            remedy = " ".join(f"`settings` {argument}=VALUE" for argument in missing)
            problem = f"{name} needs {', '.join(missing)}: give {remedy}"
            raise UsageError(problem, parameter="settings")
        if any(parameter.kind is parameter.POSITIONAL_ONLY for parameter in required):
            raise UsageError(
                f"{name} cannot be called: one of its arguments cannot be passed by name; give a "
                "class or a function whose arguments have names",
                parameter="agent",
            )
        return self.given(**settings) if settings else self

    def make(self, model: ReadingModel | None, depth: int, has_model: bool) -> Agent:
        """Make an agent. A memory becomes one with a reader, which gets ``depth`` passages.

        ``has_model`` says that the agent got the model in another way. Errors that are mabench's
        own pass unchanged.

        Raises:
            NotMadeError: when the factory raises.
            UsageError: when the agent would ignore the model, or lacks methods of a memory.
        """
        from mabench.agents import RetrievalAgent, reader_for

        name = self._name
        try:
            made = self.factory()
            kinds = _kinds_of(made)
            if kinds == ["memory"]:
                problems = conformance_problems(made, "memory")
                if problems:
                    raise UsageError(f"{name} is not a memory: {'; '.join(problems)}")
                return RetrievalAgent(made, reader_for(model), depth)  # type: ignore[arg-type]
            if model and not has_model and kinds:
                raise ignored_model(name)
        except MabenchError:
            raise
        except ImportError as error:
            raise NotMadeError(f"{name} cannot be created: {message_of(error)}") from error
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            refused = self._refused_setting(error)
            if refused is not None:
                raise self._unknown_setting(refused) from error
            reason = f"creating {name} failed: {summarize_error(error)}"
            raise NotMadeError(f"{reason}; correct its factory") from error
        return made  # type: ignore[return-value]  # The caller checks that it is an agent.

    def _refused_setting(self, error: BaseException) -> str | None:
        """Return the setting that a factory refused although it seems to take any; None if none."""
        if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
            settings: Iterable[str] = getattr(self.factory, "keywords", ())
            for setting in settings:
                if f"'{setting}'" in str(error):
                    return setting
        return None

    @property
    def _takes_any_setting(self) -> bool:
        """Whether it has ``**kwargs``."""
        return any(parameter.kind is parameter.VAR_KEYWORD for parameter in self._parameters or ())

    def _unknown_setting(self, setting: str, hint: str = "") -> UsageError:
        """Return the error for a setting that the factory does not take; it lists the others."""
        names = dict.fromkeys(self.arguments)
        # A constructor with ``**kwargs`` passes them on to the class above it.
        maker, cls = self, self.product
        bases = cls.__mro__[1:] if isinstance(cls, type) else ()
        for base in bases:
            if not maker._takes_any_setting:
                break
            maker = Maker(base, self._name)
            names |= dict.fromkeys(maker.arguments)
        if not self.answers_itself:
            names |= {"k": None}
        rest = f"known: {', '.join(names) or 'none'}{hint}"
        problem = unknown(f"{self._name} has no setting", setting, names, rest)
        return UsageError(problem, parameter="settings")


def _kinds_of(made: object) -> list[str]:
    """Return of which kinds an object has all methods: ``agent``, ``memory``, both or none."""
    if isinstance(made, type):
        return []
    return [
        kind for kind, methods in KINDS.items() if all(hasattr(made, method) for method in methods)
    ]
