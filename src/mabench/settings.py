"""Settings, each described once: type and default, with help, group, option and bounds.

A part of a run is a dataclass whose fields are declared by a ``SettingGroup``, or are parts. The
command line, tasks of Inspect, messages of errors and the reference are made from them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, NamedTuple, TypeVar, Union, cast, get_args, get_type_hints

from mabench.errors import UsageError, unknown

_T = TypeVar("_T")


def as_whole(value: int | float) -> int | float:
    """Return a number as an int if it is whole: 1500.0 and 1500 are one value of a setting."""
    return int(value) if float(value).is_integer() else value


@dataclass(frozen=True, slots=True)
class Setting:
    """What users see of a field."""

    group: str  # The heading under which commands list its option; empty for an argument.
    help: str  # What it does, in a short sentence.
    metavar: str | None = None  # The placeholder of its value in the help.
    option: str | None = None  # Its option, with underscores, if that is not the field's name.
    minimum: float | None = None  # The smallest value.
    above: float | None = None  # The value must be above this.
    choices: tuple[str, ...] = ()  # Its possible values.

    @property
    def bound(self) -> str:
        """What a number must be; empty if it can be any."""
        if self.above is not None:
            return f"more than {self.above:g}"
        return "" if self.minimum is None else f"at least {self.minimum:g}"

    @property
    def sentence(self) -> str:
        """The help with the bound."""
        return f"{self.help} {self.bound.capitalize()}." if self.bound else self.help


class SettingGroup:
    """Declares settings under a heading, which is empty for arguments."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(
        self,
        default: _T,
        help: str,  # noqa: A002
        metavar: str | None = None,
        option: str | None = None,
        **more: Any,
    ) -> _T:
        """Return a field of a dataclass: its default and, as in ``Setting``, what users see."""
        about = {"setting": Setting(self._name, help, metavar, option, **more)}
        made: Any = dataclasses.field(default=default, metadata=about)
        if isinstance(default, dict):
            made = dataclasses.field(default_factory=default.copy, metadata=about)
        return cast(_T, made)

    def without_default(self, about: str, metavar: str, option: str | None = None) -> Any:
        """Return the metadata of a field without a default."""
        return {"setting": Setting(self._name, about, metavar, option)}


class Field(NamedTuple):
    """A field of a part."""

    name: str  # In Python.
    kind: Any  # Its type, without None.
    optional: bool  # Whether it may be None.
    default: Any  # ``MISSING`` if it is required, and if it is a part.
    setting: Setting | None  # None if it is a part.
    option: str  # With underscores.
    parameter: str  # What errors call it.


@cache
def list_fields(part: type) -> tuple[Field, ...]:
    """Return the fields of a part that users can set."""
    hints = get_type_hints(part)
    prefix = getattr(part, "parameter", "")
    declared = []
    for field in fields(part):
        kind, setting = hints[field.name], field.metadata.get("setting")
        kinds = tuple(member for member in get_args(kind) if member is not NoneType)
        optional = NoneType in get_args(kind)
        kind = Union[kinds] if optional else kind  # noqa: UP007
        if setting or is_dataclass(kind):
            default = field.default
            if field.default_factory is not MISSING and setting:
                default = field.default_factory()
            option = (setting and setting.option) or field.name
            parameter = f"{prefix}.{field.name}" if prefix else field.name
            declared.append(Field(field.name, kind, optional, default, setting, option, parameter))
    return tuple(declared)


@cache
def list_options(part: type) -> Mapping[str, Field]:
    """Return the settings of a part and of its own parts, by the names of their options."""
    options: dict[str, Field] = {}
    for field in list_fields(part):
        within = {field.option: field} if field.setting else list_options(field.kind)
        for name, option in within.items():
            if field.optional and option.default is MISSING:  # Then there may be no such part.
                option = option._replace(default=None, optional=True)
            options.setdefault(name, option)
    return options


class RunPart:
    """A part of a run; raises ``UsageError`` for values that its settings do not allow.

    A part whose settings depend on each other says so in ``settle``.
    """

    __slots__ = ()

    def settle(self) -> None:
        """Check the settings against each other, and bring them into one form."""

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for field in list_fields(kind):
            name, value, setting = field.parameter, getattr(self, field.name), field.setting
            is_unset = value is None and field.optional
            if setting and setting.choices and value not in setting.choices and not is_unset:
                message = unknown(f"unknown {name}", str(value), setting.choices)
                raise UsageError(message, parameter=name)
            if setting and setting.bound and isinstance(value, int | float):
                above = -math.inf if setting.above is None else setting.above
                least = -math.inf if setting.minimum is None else setting.minimum
                if not (math.isfinite(value) and value >= least and value > above):
                    bound = setting.bound if math.isfinite(value) else "finite"
                    raise UsageError(f"`{name}` must be {bound}, not {value:g}", parameter=name)
        self.settle()


def build(part: type[_T], values: Mapping[str, object]) -> _T:
    """Return a part from values by the names of options; others keep their defaults.

    An optional part is None if its required setting is not given.

    Raises:
        UsageError: when a value is wrong, or another setting of such a part is given.
    """
    given: dict[str, Any] = {}
    declared: Any = part
    for field in list_fields(declared):
        if field.setting:
            if field.option in values:
                given[field.name] = values[field.option]
        elif not field.optional or values.get(_find_required_option(field.kind)) is not None:
            given[field.name] = build(field.kind, values)
        else:
            own = {other.option for other in list_fields(declared)}
            for name, option in list_options(field.kind).items():
                needed = _find_required_option(field.kind)
                if name not in {*own, needed} and values.get(name) not in (None, option.default):
                    raise UsageError(f"`{name}` applies only with `{needed}`: give that, too")
    return part(**given)


def with_given(part: _T, **values: Any) -> _T:
    """Return a part with the values that are not None."""
    changed: Any = part
    return cast(_T, dataclasses.replace(changed, **known(values)))


def known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def _find_required_option(part: type) -> str:
    return next(field.option for field in list_fields(part) if field.default is MISSING)
