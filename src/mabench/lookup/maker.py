"""A factory of agents or memories: what arguments it takes, and what it makes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

from mabench.contract.answers import is_ctrl_c, message_of, summarize_error
from mabench.contract.interfaces import Agent, conformance_problems
from mabench.contract.methods import KINDS
from mabench.errors import MabenchError, NotMadeError, UsageError, ignored_model, unknown

if TYPE_CHECKING:
    from mabench.models import ReadingModel

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Maker:
    """A factory of agents or memories with its name: what it takes, is given, and makes."""

    def __init__(self, factory: Callable[..., object], name: str) -> None:
        self.factory, self._name = factory, name
        self._parameters: Collection[inspect.Parameter] | None
        try:
            self._parameters = inspect.signature(factory).parameters.values()
        except (TypeError, ValueError):  # Compiled code does not always say what it takes.
            self._parameters = None
        # The arguments that it takes by name; none where that cannot be told.
        self.arguments = [p.name for p in self._parameters or () if p.kind in _NAMED]
        # What it is without what it was given: the class of what it makes, where it is one.
        self.product = cls = getattr(factory, "func", factory)
        # Whether it is known to make agents, not memories: it is a class of them.
        methods = KINDS["agent"]
        self.answers_itself = isinstance(cls, type) and all(hasattr(cls, m) for m in methods)

    def takes(self, argument: str, settings: Mapping[str, object]) -> bool:
        """Return whether it is given a model's address or a folder; not if it is set to another."""
        return argument in self.arguments and argument not in settings

    def given(self, *arguments: object, **settings: object) -> Maker:
        """Return it with arguments that it is not to be called with any more."""
        return Maker(partial(self.factory, *arguments, **settings), self._name)

    def bind(
        self, settings: Mapping[str, object], others: Collection[str] = (), hint: str = ""
    ) -> Maker:
        """Return it with ``settings``, to be given ``others`` beside them.

        Raises ``UsageError`` when it has no such setting, with a ``hint``, or lacks an argument.
        """
        name = self._name
        if self._parameters is None:
            return self.given(**settings)
        strange = [setting for setting in settings if setting not in self.arguments]
        if strange and not self._takes_any:
            raise self._no_setting(strange[0], hint)
        required = [p for p in self._parameters if p.default is p.empty]
        given = {*settings, *others}
        lacking = [p.name for p in required if p.kind in _NAMED and p.name not in given]
        if lacking == ["model"]:
            problem = f"{name} needs a language model: name one with `model`"
            raise UsageError(problem, parameter="model")
        if lacking:
            remedy = " ".join(f"`settings` {argument}=VALUE" for argument in lacking)
            problem = f"{name} needs {', '.join(lacking)}: give {remedy}"
            raise UsageError(problem, parameter="settings")
        if any(parameter.kind is parameter.POSITIONAL_ONLY for parameter in required):
            raise UsageError(
                f"{name} cannot be called: one of its arguments cannot be passed by name; give a "
                "class or a function whose arguments have names",
                parameter="agent",
            )
        return self.given(**settings) if settings else self

    def make(self, model: ReadingModel | None, depth: int, has_model: bool) -> Agent:
        """Make an agent; a memory becomes one with a reader, which is shown ``depth`` passages.

        Raises ``NotMadeError`` when the factory raises; errors that are mabench's own pass
        unchanged. Raises ``UsageError`` when the agent would ignore the model, unless it
        ``has_model``.
        """
        from mabench.agents import RetrievalAgent, reader_for

        name = self._name
        try:
            thing = self.factory()
            known = {} if isinstance(thing, type) else KINDS
            kinds = [kind for kind, own in known.items() if all(hasattr(thing, m) for m in own)]
            if kinds == ["memory"]:
                if problems := conformance_problems(thing, "memory"):
                    raise UsageError(f"{name} is not a memory: {'; '.join(problems)}")
                return RetrievalAgent(thing, reader_for(model), depth)  # type: ignore[arg-type]
            if model and not has_model and kinds:
                raise ignored_model(name)
        except MabenchError:
            raise
        except ImportError as error:
            raise NotMadeError(f"{name} cannot be created: {message_of(error)}") from error
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            # A factory that seems to take any setting may refuse one.
            if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
                for setting in getattr(self.factory, "keywords", ()):
                    if f"'{setting}'" in str(error):
                        raise self._no_setting(setting) from error
            reason = f"creating {name} failed: {summarize_error(error)}"
            raise NotMadeError(f"{reason}; correct its factory") from error
        return thing  # type: ignore[return-value]  # conformance_problems() says whether it is one.

    @property
    def _takes_any(self) -> bool:
        return any(p.kind is p.VAR_KEYWORD for p in self._parameters or ())

    def _no_setting(self, setting: str, hint: str = "") -> UsageError:
        names = dict.fromkeys(self.arguments)
        # Where a constructor passes on any, its bases take more.
        maker, cls = self, self.product
        for base in cls.__mro__[1:] if isinstance(cls, type) else ():
            if not maker._takes_any:
                break
            maker = Maker(base, self._name)
            names |= dict.fromkeys(maker.arguments)
        if not self.answers_itself:
            names |= {"k": None}
        rest = f"known: {', '.join(names) or 'none'}{hint}"
        problem = unknown(f"{self._name} has no setting", setting, names, rest)
        return UsageError(problem, parameter="settings")
