"""Describes each setting once: its type and default, its help, its option and its bounds.

The settings of a run are in dataclasses, called parts, such as ``RunSpec``. A field of a part is a
setting, which a ``SettingGroup`` declares, or is another part. The command line, tasks of Inspect,
messages of errors and the reference are made from these declarations.
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
        """Return the declaration of a setting, to be written in a dataclass as the field's value.

        The parameters are its default and those of ``Setting``. To a type checker, the declaration
        is the default.
        """
        metadata = {"setting": Setting(self._name, help, metavar, option, **more)}
        declaration: Any
        if isinstance(default, dict):  # Each object needs a dict of its own.
            declaration = dataclasses.field(default_factory=default.copy, metadata=metadata)
        else:
            declaration = dataclasses.field(default=default, metadata=metadata)
        return cast(_T, declaration)

    def without_default(self, about: str, metavar: str, option: str | None = None) -> Any:
        """Return the metadata of a field whose setting is required.

        ``about`` is its help; the other parameters are those of ``Setting``.
        """
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
    listed = []
    for field in fields(part):
        hint, setting = hints[field.name], field.metadata.get("setting")
        is_optional = NoneType in get_args(hint)
        kind = _without_none(hint) if is_optional else hint
        if setting is None and not is_dataclass(kind):
            continue  # Users cannot set it.
        default = field.default
        if field.default_factory is not MISSING and setting:
            default = field.default_factory()
        listed.append(
            Field(
                name=field.name,
                kind=kind,
                optional=is_optional,
                default=default,
                setting=setting,
                option=setting.option if setting and setting.option else field.name,
                parameter=f"{prefix}.{field.name}" if prefix else field.name,
            )
        )
    return tuple(listed)


def _without_none(union: Any) -> Any:
    """Return a type such as ``int | None`` without None."""
    kinds = tuple(member for member in get_args(union) if member is not NoneType)
    return Union[kinds]  # noqa: UP007


@cache
def list_options(part: type) -> Mapping[str, Field]:
    """Return the settings of a part and of its own parts, by the names of their options.

    Of two with one name, the first counts.
    """
    options: dict[str, Field] = {}
    for field in list_fields(part):
        inner = {field.option: field} if field.setting else list_options(field.kind)
        for name, setting in inner.items():
            if field.optional and setting.default is MISSING:
                # It is required in a part that there may not be, so it need not be given.
                setting = setting._replace(default=None, optional=True)
            options.setdefault(name, setting)
    return options


class RunPart:
    """The base of parts of a run: raises ``UsageError`` for values that settings do not allow.

    A part whose settings depend on each other checks that in ``settle``.
    """

    __slots__ = ()

    def settle(self) -> None:
        """Check the settings against each other, and bring them into one form."""

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for field in list_fields(kind):
            if field.setting:
                _check_value(field, field.setting, getattr(self, field.name))
        self.settle()


def _check_value(field: Field, setting: Setting, value: object) -> None:
    """Raise a ``UsageError`` if a value is not among a setting's choices, or not within its bounds.

    A value that is no number has no bounds.
    """
    name = field.parameter
    is_unset = value is None and field.optional
    if setting.choices and value not in setting.choices and not is_unset:
        message = unknown(f"unknown {name}", str(value), setting.choices)
        raise UsageError(message, parameter=name)
    if setting.bound and isinstance(value, int | float):
        if not math.isfinite(value):
            raise UsageError(f"`{name}` must be finite, not {value:g}", parameter=name)
        is_too_small = setting.minimum is not None and value < setting.minimum
        is_at_limit = setting.above is not None and value <= setting.above
        if is_too_small or is_at_limit:
            raise UsageError(f"`{name}` must be {setting.bound}, not {value:g}", parameter=name)


def build(part: type[_T], values: Mapping[str, object]) -> _T:
    """Return a part from the values of settings, by the names of their options.

    Settings without a value keep their defaults. An optional part is None if the one setting that
    it requires has no value.

    Raises:
        UsageError: when a value is wrong, or belongs to a part that is None.
    """
    arguments: dict[str, Any] = {}
    any_part: Any = part  # For the type checker.
    own_options = {field.option for field in list_fields(any_part)}
    for field in list_fields(any_part):
        if field.setting:
            if field.option in values:
                arguments[field.name] = values[field.option]
        elif not field.optional or values.get(_find_required_option(field.kind)) is not None:
            arguments[field.name] = build(field.kind, values)
        else:  # The part is None.
            _refuse_values_of(field.kind, values, own_options)
    return part(**arguments)


def _refuse_values_of(part: type, values: Mapping[str, object], other_options: set[str]) -> None:
    """Raise a ``UsageError`` if there is a value for a part whose required setting is missing.

    Defaults are allowed, and so are the ``other_options``, which do not belong to the part alone.
    """
    required = _find_required_option(part)
    for name, field in list_options(part).items():
        is_of_part = name != required and name not in other_options
        if is_of_part and values.get(name) not in (None, field.default):
            raise UsageError(f"`{name}` applies only with `{required}`: give that, too")


def with_given(part: _T, **values: Any) -> _T:
    """Return a copy of a part with the values that are not None; other settings stay."""
    any_part: Any = part  # For the type checker.
    return cast(_T, dataclasses.replace(any_part, **known(values)))


def known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def _find_required_option(part: type) -> str:
    """Return the option of the one setting of an optional part that has no default."""
    return next(field.option for field in list_fields(part) if field.default is MISSING)
