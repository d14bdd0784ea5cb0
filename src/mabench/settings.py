"""One description of a setting: help, group, option and bounds stand beside type and default.

A part of a run is a dataclass whose fields are ``Annotated`` with a ``Setting``, or parts in turn.
The command line, tasks of Inspect, the words of errors and the reference are made from them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from mabench.errors import UsageError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Setting:
    """What users see of a field.

    Attributes:
        group: the heading under which commands list its option; empty for an argument.
        help: what it does, in a short sentence.
        metavar: what stands for its value in a help.
        option: the name of its option, with underscores, where that is not the field's.
        minimum: the smallest value.
        above: a number that the value must exceed.
        choices: the values that a shell offers.
    """

    group: str
    help: str
    metavar: str | None = None
    option: str | None = None
    minimum: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def bound(self) -> str:
        """What a number must be; empty where it may be any."""
        if self.above is not None:
            return f"more than {self.above:g}"
        return "" if self.minimum is None else f"at least {self.minimum:g}"

    @property
    def sentence(self) -> str:
        """The help with the bound."""
        return f"{self.help} {self.bound.capitalize()}." if self.bound else self.help

    def admits(self, number: float) -> bool:
        """Return whether a number is within the bounds, where there are any."""
        return not self.bound or (
            math.isfinite(number)
            and (self.minimum is None or number >= self.minimum)
            and (self.above is None or number > self.above)
        )


class Field(NamedTuple):
    """A field of a part.

    Attributes:
        name: its name in Python.
        kind: its type, without None.
        optional: whether it may be None.
        default: its default; ``MISSING`` if it is required, and if it is a part.
        setting: what users see; None if it is a part.
        option: the name of its option, with underscores.
        parameter: what errors call it.
    """

    name: str
    kind: Any
    optional: bool
    default: Any
    setting: Setting | None
    option: str
    parameter: str


@cache
def fields_of(part: type) -> tuple[Field, ...]:
    """Return the fields of a part that users can set."""
    hints = get_type_hints(part, include_extras=True)
    prefix = getattr(part, "parameter", "")
    declared = []
    for field in fields(part):
        kind, setting = hints[field.name], None
        if get_origin(kind) is Annotated:
            kind, setting = get_args(kind)
        kinds = [one for one in get_args(kind) if one is not NoneType]
        optional = NoneType in get_args(kind)
        kind = Union[tuple(kinds)] if optional else kind  # noqa: UP007
        if setting or is_dataclass(kind):
            default = field.default
            if field.default_factory is not MISSING and setting:
                default = field.default_factory()
            option = (setting and setting.option) or field.name
            parameter = f"{prefix}.{field.name}" if prefix else field.name
            declared.append(Field(field.name, kind, optional, default, setting, option, parameter))
    return tuple(declared)


@cache
def options_of(part: type) -> Mapping[str, Field]:
    """Return the settings of a part and of its own parts, by the names of their options."""
    options: dict[str, Field] = {}
    for field in fields_of(part):
        within = {field.option: field} if field.setting else options_of(field.kind)
        for name, option in within.items():
            if field.optional and option.default is MISSING:  # Without it there is no such part.
                option = option._replace(default=None, optional=True)
            options.setdefault(name, option)
    return options


class Part:
    """A part of a run whose numbers are held to their bounds."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Refuse what is out of bounds."""
        check_bounds(self)


def check_bounds(part: Any) -> None:
    """Refuse numbers of a part that are out of bounds.

    Raises:
        UsageError: when one is.
    """
    kind: Any = type(part)
    for field in fields_of(kind):
        value = getattr(part, field.name)
        if field.setting and isinstance(value, int | float):
            check_bound(field.parameter, value, field.setting)


def check_bound(parameter: str, value: float | None, setting: Setting) -> None:
    """Refuse a number that is out of the bounds of a setting.

    Raises:
        UsageError: when it is.
    """
    if value is not None and not setting.admits(value):
        bound = setting.bound if math.isfinite(value) else "finite"
        raise UsageError(f"`{parameter}` must be {bound}, not {value:g}", parameter=parameter)


def build(part: type[_T], values: Mapping[str, object]) -> _T:
    """Return a part from values by the names of options; what is absent keeps its default.

    A part that may be None is None if its required setting is not given.

    Raises:
        UsageError: when a value is wrong, or another setting of such a part is given.
    """
    given: dict[str, Any] = {}
    declared: Any = part
    for field in fields_of(declared):
        if field.setting:
            if field.option in values:
                given[field.name] = values[field.option]
        elif not field.optional or values.get(_required(field.kind)) is not None:
            given[field.name] = build(field.kind, values)
        else:
            own = {one.option for one in fields_of(declared)}
            for name, option in options_of(field.kind).items():
                needed = _required(field.kind)
                if name not in {*own, needed} and values.get(name) not in (None, option.default):
                    raise UsageError(f"`{name}` is about `{needed}`: give that, too")
    return part(**given)


def _required(part: type) -> str:
    return next(field.option for field in fields_of(part) if field.default is MISSING)
